/**
 * The dashboard over HTTP. A page shows results of the tester's object. A form is forwarded as a request below `/_sim`, and the
 * browser is redirected to a page with a sentence about the result.
 */

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { requirePlainBody } from '../../spec/body.ts'
import { ApiError, bodyTooLarge, invalidOption, notFound } from '../../spec/contract/errors.ts'
import type { AppEnv } from '../../spec/node-http.ts'
import { WrongOption } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { steeredBy } from '../../tester/control/control.ts'
import { requireTester } from '../../tester/control/guard.ts'
import { DASHBOARD_HEADERS, sendPage } from '../frame.tsx'
import { sendForm } from './again.tsx'
import { auditPage } from './audit.tsx'
import { behaviorsPage } from './behaviors.tsx'
import { browserSessions } from './browser-sessions.tsx'
import { deliveryLink, eventPage, webhooksPage } from './events.tsx'
import { actionForm } from './forms.tsx'
import { ledgerPage } from './ledger.tsx'
import { openLibrary } from './library.ts'
import { UI } from './links.ts'
import { liveStream } from './live-stream.ts'
import { ordersPage } from './orders.tsx'
import { messageLink, outboxPage } from './outbox.tsx'
import { type PageRoute, routeTo } from './page-request.ts'
import { requestPage } from './request.tsx'
import { requestsPage } from './requests.tsx'
import { kindsLink, resourcesPage } from './resources.tsx'
import { sandboxesPage } from './sandboxes.tsx'
import { searchPage } from './search.tsx'
import { bugPage, orRefused, refused } from './sentence-pages.tsx'
import { type Dashboard, type DashboardParts, pathOf, viewOf } from './view.ts'

const FORM_MAX_BYTES = 512 * 1024

export function dashboard(parts: DashboardParts) {
  const { publicUrl, bug } = parts
  const sessions = browserSessions(parts)
  const served: Dashboard = { ...parts, sessions, library: openLibrary() }
  const app = new Hono<AppEnv>({ strict: false })

  app.use(async (c, next) => {
    const isLink = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate'
    requireTester(c.req.raw, c.env, { publicUrl }, { linkMay: isLink })
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES, onError: (c) => refused(c, bodyTooLarge()) }))
  app.get('/', (c) => c.redirect(UI))
  app.get(`${UI}/log-in`, (c) => sessions.askForToken(c))
  app.post(`${UI}/log-in`, (c) => sessions.logIn(c))

  for (const route of ROUTES) {
    // The pages of the sandbox `default`, and of all others below their names.
    const paths = [`${UI}/sandboxes/:sandbox${route.path}`, `${UI}${route.path}`]
    app.on(route.method, paths, (c) => answer(c, served, route))
  }

  app.notFound((c) => refused(c, notFound('Page')))
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return refused(c, cause)
    if (cause instanceof WrongOption) return refused(c, invalidOption(cause.message))
    bug(cause, c.req.raw.signal)
    return bugPage(c)
  })
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }
}

const unknownPage = routeTo('/*', () => {
  throw notFound('Page')
})

const ROUTES: readonly PageRoute[] = [
  ...[ordersPage, liveStream],
  ...[requestsPage, requestPage, sendForm],
  ...[kindsLink, resourcesPage, ledgerPage, auditPage],
  ...[outboxPage, messageLink, webhooksPage, eventPage, deliveryLink],
  ...[behaviorsPage, sandboxesPage, searchPage, actionForm, unknownPage],
]

async function answer(c: Context, served: Dashboard, { reply }: PageRoute): Promise<Response> {
  const { sandboxes, sessions } = served
  const session = await sessions.of(c)
  if (session === undefined) return c.redirect(`${UI}/log-in?back=${encodeURIComponent(pathOf(c))}`, 303)
  const control = sandboxes.find(c.req.param('sandbox') ?? DEFAULT_SANDBOX)
  const { browse } = steeredBy(control)
  const view = viewOf(served, c, control, browse, session)
  const replied = await orRefused(view, () => reply({ c, control, browse, view, dashboard: served }))
  if (replied instanceof Response) return replied
  if ('to' in replied) return c.body(null, 303, { ...DASHBOARD_HEADERS, Location: replied.to })
  return sendPage(c, replied.page, replied.status)
}
