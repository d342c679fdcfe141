/**
 * Who may steer: whoever knows the admin token, where there is one, and no web page of somebody else's.
 *
 * A browser sends `Origin` with what a page asks for, so another origin's page is refused. A name that an attacker lets
 * point to this machine (DNS rebinding) makes its page look like ours, so only names count that nobody can take: an IP
 * address, localhost, and what the simulator was told it is called.
 */
import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { missingToken, notYourPlace } from '../contract/errors.ts'

export interface Guard {
  adminToken: string | undefined
  /** The URL that the simulator was told it is reached at. */
  publicUrl: string | undefined
}

/** Throws unless the request may steer. `address` is the URL that it was sent to. */
export function requireTester(
  header: (name: string) => string | undefined,
  address: string,
  { adminToken, publicUrl }: Guard,
): void {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  // Whoever asks without a socket is this very process, and sends no Host.
  const sent = header('host')
  const host = sent ?? new URL(address).host
  if (sent !== undefined && host !== own?.host && !isOwnName(host)) {
    throw notYourPlace(`${host} is not a name of this simulator; --public-url makes it one`)
  }
  const origin = header('origin')
  if (origin !== undefined && origin !== own?.origin && hostOf(origin) !== host) {
    throw notYourPlace(`A page of ${origin} cannot steer this simulator`)
  }
  if (adminToken !== undefined && !isSame(header('authorization') ?? '', `Bearer ${adminToken}`)) {
    throw missingToken()
  }
}

function isOwnName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined

/** Takes the same time wherever two texts differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
