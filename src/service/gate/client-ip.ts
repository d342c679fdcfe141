/** The IP that §8 counts: the socket's, or with a trusted proxy the first of X-Forwarded-For (D47). */
import { isIP } from 'node:net'
import type { PlatformRequest } from './request.ts'

/** An IPv4 address as a socket for both kinds writes it. */
export const plainIp = (address: string): string =>
  address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address

export function fromProxy(request: PlatformRequest): PlatformRequest {
  const ip = forwardedIp(request.header('x-forwarded-for'))
  return ip === undefined ? request : { ...request, ip: plainIp(ip) }
}

/**
 * The first address of X-Forwarded-For, without the port that some proxies add. Undefined for a text that is
 * no IP: a proxy that adds to the list keeps the client's own text.
 */
function forwardedIp(list: string | undefined): string | undefined {
  const first = list?.split(',', 1)[0]?.trim() ?? ''
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(first) ?? []
  const address = v6 ?? v4 ?? first
  return isIP(address) ? address : undefined
}
