/** What a buyer's cookie says. It is for one checkout: the session of one opens no other. */
export interface BuyerSession {
  id: string
  checkoutId: string
  /** Where the code went; null before that. */
  contact: string | null
  loggedIn: boolean
  /** When the buyer last did something. */
  at: number
}

/** D57: the buyer is logged out after this long without a click. */
const SESSION_MS = 30 * 60_000

/** `text` is JSON that we signed, so its shape is known. */
export function parseSession(text: string, checkoutId: string, now: number): BuyerSession | undefined {
  const session: BuyerSession = JSON.parse(text)
  return session.checkoutId === checkoutId && now - session.at < SESSION_MS ? session : undefined
}
