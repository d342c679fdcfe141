/** The content of a buyer's cookie. A session is valid for one checkout. */
export interface BuyerSession {
  id: string
  checkoutId: string
  /** The contact that the code was sent to; null before. */
  contact: string | null
  loggedIn: boolean
  /** The time of the latest request. */
  at: number
}

/** D57: after this time without a request the buyer is logged out. */
const SESSION_MS = 30 * 60_000

/** `text` was signed with our key, so it is JSON of this shape. */
export function parseSession(text: string, checkoutId: string, now: number): BuyerSession | undefined {
  const session: BuyerSession = JSON.parse(text)
  return session.checkoutId === checkoutId && now - session.at < SESSION_MS ? session : undefined
}
