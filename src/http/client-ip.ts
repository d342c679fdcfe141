/** §8 counts by IP: the socket's, unless a proxy that is trusted says for whom it asks (D47). */

/** Where an embedded simulator is asked from. */
const EMBEDDED = '127.0.0.1'

export function clientIp(socketAddress: string | undefined, forwardedFor: string | undefined): string {
  const first = forwardedFor?.split(',', 1)[0]?.trim()
  const address = first || socketAddress || EMBEDDED
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
