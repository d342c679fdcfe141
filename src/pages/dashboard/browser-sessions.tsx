/** The browsers that use the dashboard: their sessions, log-ins and last submitted forms. */
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { tooManyTokens } from '../../spec/contract/errors.ts'
import { ID_PREFIXES } from '../../spec/contract/ids.ts'
import { createIds, Random } from '../../spec/world/random.ts'
import { type Guard, isSame } from '../../tester/control/guard.ts'
import { Lead } from '../blocks.tsx'
import { Field, Form, Submit } from '../form.tsx'
import { Frame, sendPage } from '../frame.tsx'
import { readForm } from '../read-form.ts'
import { Sessions } from '../session.ts'
import type { ActionResult, Fields } from './actions.ts'
import { UI } from './links.ts'

/** A notice has the text of a refused form, which may be as long as its body: half a megabyte. */
const NOTICES_MAX = 100

/** A form of ours as sent, with the page that it came from. */
interface SentForm {
  session: string
  back: string
  fields: Fields
}

export type BrowserSessions = ReturnType<typeof browserSessions>

/**
 * With an admin token, sessions are signed with it, so they are valid in every process with that token, also after a restart.
 * Without one, a secret is drawn from a separate generator, because session ids are drawn too and must not help to guess it.
 */
export function browserSessions({ adminToken, guesses, publicUrl }: Guard) {
  const sessions = new Sessions(adminToken ?? createIds(new Random(), ID_PREFIXES)('session'))
  const ids = createIds(new Random(), ID_PREFIXES)
  /** By session: the result of its last form, until a page shows it. */
  const notices = new Map<string, ActionResult>()

  /** How long this client has to wait after too many wrong tokens. */
  const waitSeconds = (c: Context, typed: string, isRight: boolean) =>
    guesses.waitSeconds(guesses.clientOf(c.req.raw, c.env), typed, isRight)

  async function begin(c: Context): Promise<string> {
    const session = ids('session')
    await sessions.write(c, cookieName(c), session, new URL(UI, publicUrl ?? c.req.url))
    return session
  }

  function keepNotice(session: string, notice: ActionResult): void {
    if (notices.size >= NOTICES_MAX) notices.clear()
    notices.set(session, notice)
  }

  return {
    /** Undefined if the browser has to log in. Without an admin token every browser gets a session. */
    async of(c: Context): Promise<string | undefined> {
      const session = await sessions.read(c, cookieName(c))
      if (adminToken === undefined) return session ?? begin(c)
      // The cookie is signed with the token, so a forged cookie is a guess of the token and is counted as one.
      const cookie = getCookie(c, cookieName(c))
      if (cookie === undefined) return undefined
      return waitSeconds(c, cookie, session !== undefined) > 0 ? undefined : session
    },

    askForToken: (c: Context): Response =>
      adminToken === undefined ? c.redirect(UI) : logInPage(c, backOf(c.req.query('back'))),

    async logIn(c: Context): Promise<Response> {
      const { adminToken: typed = '', back } = await readForm(c)
      const isRight = adminToken !== undefined && isSame(typed, adminToken)
      const seconds = waitSeconds(c, typed, isRight)
      if (seconds > 0) {
        const { message, headers } = tooManyTokens(seconds)
        c.header('Retry-After', headers['retry-after'])
        return logInPage(c, backOf(back), `${message}.`, 429)
      }
      if (!isRight) return logInPage(c, backOf(back), 'Wrong admin token.', 401)
      await begin(c)
      return c.redirect(backOf(back), 303)
    },

    formToken: (session: string): string => sessions.formToken(session),

    /** The form that was sent; or a redirect if it is too old, or from another site. */
    async formOf(c: Context): Promise<SentForm | { to: string }> {
      const session = await sessions.read(c, cookieName(c))
      const { token, back, ...fields } = await readForm(c)
      if (session !== undefined && sessions.isFormToken(token ?? '', session))
        return { session, back: backOf(back), fields }
      const text = 'This page was open for too long. Nothing was done. Please try again.'
      if (session !== undefined) keepNotice(session, { tone: 'wait', text })
      return { to: backOf(back) }
    },

    keepNotice,

    /** The result of the last form; it is shown once. */
    takeNotice(session: string): ActionResult | undefined {
      const notice = notices.get(session)
      notices.delete(session)
      return notice
    },
  }
}

/** The session begins after the log-in, so its form has no token. Requests from another origin are rejected by their `Origin`. */
function logInPage(c: Context, back: string, problem?: string, status: ContentfulStatusCode = 200): Response {
  const page = (
    <Frame title="Log in · paysim">
      <main class="alone" id="main">
        <Lead title="Log in with the admin token">
          This simulator was started with <code>--admin-token</code> or <code>PAYSIM_ADMIN_TOKEN</code>. Enter
          that token.
        </Lead>
        <Form action={`${UI}/log-in`}>
          <input type="hidden" name="back" value={back} />
          <Field
            name="adminToken"
            label="Admin token"
            type="password"
            autocomplete="current-password"
            problem={problem}
            autofocus
            required
          />
          <Submit>Log in</Submit>
        </Form>
      </main>
    </Frame>
  )
  return sendPage(c, page, status)
}

/**
 * The name contains the port, because a cookie is sent to every port of a host, and two simulators on one machine must not log
 * each other out.
 */
const cookieName = (c: Context) => `paysim_dashboard_${new URL(c.req.url).port || 'web'}`

/** A form may lead back to pages of the dashboard only, never to another site. */
const backOf = (back = '') => (/^\/_sim\/ui(?:[/?#]|$)/.test(back) ? back : UI)
