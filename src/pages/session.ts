/**
 * Sessions in signed cookies, and tokens in forms. A cookie contains the session itself, so the server stores none. A form
 * contains a token made from its session, so that a page of another origin cannot send one (CSRF).
 */
import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { getSignedCookie, setSignedCookie } from 'hono/cookie'
import { isSame } from '../tester/control/guard.ts'

export class Sessions {
  readonly #cookieKey: string
  readonly #formKey: string

  /** A separate key for each purpose: a form's token must not pass as the signature of a cookie. */
  constructor(secret: string) {
    this.#cookieKey = hmac(secret, 'session cookie')
    this.#formKey = hmac(secret, 'form token')
  }

  /** The content of the cookie of that name, if it is signed with our key. */
  async read(c: Context, cookie: string): Promise<string | undefined> {
    return (await getSignedCookie(c, this.#cookieKey, cookie)) || undefined
  }

  /** `address`: the URL of the page. The cookie is sent back below its path only. */
  write(c: Context, cookie: string, session: string, { pathname, protocol }: URL): Promise<void> {
    return setSignedCookie(c, cookie, session, this.#cookieKey, {
      path: pathname,
      httpOnly: true,
      sameSite: 'Lax',
      secure: protocol === 'https:',
    })
  }

  formToken(sessionId: string): string {
    return hmac(this.#formKey, sessionId)
  }

  isFormToken(token: string, sessionId: string): boolean {
    return isSame(token, this.formToken(sessionId))
  }
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')
