/**
 * Who is at the dashboard. A session is a signed cookie that no script can read; where there is an admin token, only
 * who knew it gets one. Every form carries a token made from its session, so only a page of ours can have sent it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ID_PREFIXES } from '../contract/ids.ts'
import { createIds } from '../world/ids.ts'
import { Random } from '../world/random.ts'

export interface Sessions {
  begin(): string
  /** The session of a cookie that was sealed here. */
  open(cookie: string | undefined): string | undefined
  seal(session: string): string
  formToken(session: string): string
  isFormToken(token: string, session: string): boolean
}

export function createSessions(): Sessions {
  // What is shown to a browser tells nothing of the generator that the secret came from.
  const secret = createIds(new Random(), ID_PREFIXES)('session')
  const ids = createIds(new Random(), ID_PREFIXES)

  /** The purpose is signed too, so that a signature for one is none for the other. */
  const sign = (purpose: 'session' | 'form', text: string) =>
    createHmac('sha256', secret).update(`${purpose}.${text}`).digest('base64url')

  return {
    begin: () => ids('session'),
    open(cookie) {
      const [session = '', signature = ''] = cookie?.split('.') ?? []
      return isSame(signature, sign('session', session)) ? session : undefined
    },
    seal: (session) => `${session}.${sign('session', session)}`,
    formToken: (session) => sign('form', session),
    isFormToken: (token, session) => isSame(token, sign('form', session)),
  }
}

/** Takes the same time wherever two texts differ. */
export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
