/**
 * Who is at the page. A session is a signed cookie for one checkout, so the server keeps none, and one checkout's
 * session opens no other. A form carries a token made from its session, so only a page of ours can have sent it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface BuyerSession {
  id: string
  checkoutId: string
  /** Where the code went; null before that. */
  contact: string | null
  loggedIn: boolean
  /** When the buyer last did something. */
  at: number
}

/** D57: away for this long is gone. */
export const SESSION_MS = 30 * 60_000

export function sealSession(session: BuyerSession, secret: string): string {
  const text = Buffer.from(JSON.stringify(session)).toString('base64url')
  return `${text}.${sign('session', text, secret)}`
}

export function openSession(
  cookie: string | undefined,
  checkoutId: string,
  secret: string,
  now: number,
): BuyerSession | undefined {
  const [text = '', signature = ''] = cookie?.split('.') ?? []
  if (!equal(signature, sign('session', text, secret))) return undefined
  const session: BuyerSession = JSON.parse(Buffer.from(text, 'base64url').toString())
  return session.checkoutId === checkoutId && now - session.at < SESSION_MS ? session : undefined
}

export const formToken = ({ id }: BuyerSession, secret: string): string => sign('form', id, secret)

export const isFormToken = (token: string, session: BuyerSession, secret: string): boolean =>
  equal(token, formToken(session, secret))

/** The purpose is signed too, so that a signature for one is none for the other. */
const sign = (purpose: 'session' | 'form', text: string, secret: string): string =>
  createHmac('sha256', secret).update(`${purpose}.${text}`).digest('base64url')

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
