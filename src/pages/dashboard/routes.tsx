/**
 * The dashboard over HTTP. A page shows what the tester's object answers. A form is sent on as a request below `/_sim`, and
 * the browser is redirected to a page with a sentence about the result.
 */

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { requirePlainBody } from '../../spec/body.ts'
import { ApiError, bodyTooLarge, invalidOption } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { requireTester } from '../../tester/control/guard.ts'
import { assetHeaders } from '../assets.ts'
import { findDashboardAsset } from './assets.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { comparePage } from './compare.tsx'
import { conductPage } from './conduct.tsx'
import type { Dashboard, DashboardParts } from './dashboard-parts.ts'
import { actReply, againReply, behaviorsReply } from './forms.tsx'
import {
  besideReply,
  changeRequestReply,
  compareRequestsReply,
  recordFileReply,
  recordReply,
  requestReply,
  requestsReply,
  timelineReply,
} from './journal-replies.tsx'
import { ledgerPage } from './ledger.tsx'
import { openLibrary } from './library.ts'
import { UI } from './links.ts'
import { liveReply } from './live-stream.ts'
import { ordersPage } from './orders.tsx'
import { messagePage, outboxPage } from './outbox.tsx'
import { type PageRoute, pathOf } from './page-request.ts'
import { referencePage } from './reference.tsx'
import { deliveryReply, eventReply, eventsReply, resourcesReply } from './replies.tsx'
import { kindsPage } from './resources.tsx'
import { sandboxesPage } from './sandboxes.tsx'
import { searchReply } from './search.tsx'
import { HEADERS, sendPage } from './send-page.ts'
import { bugPage, refused, unknownPage } from './sentence-pages.tsx'
import { bothAnswersReply, realServiceReply, snapshotReply } from './simulator-replies.tsx'
import type { DashboardPage } from './view.ts'
import { viewOf } from './view-of.ts'

const FORM_MAX_BYTES = 512 * 1024

export function dashboard(parts: DashboardParts) {
  const { publicUrl, bug } = parts
  const sessions = new BrowserSessions(parts)
  const served: Dashboard = { ...parts, sessions, library: openLibrary() }
  const app = new Hono({ strict: false })

  app.use(async (c, next) => {
    const isLink = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate'
    requireTester(c.req.raw, { publicUrl }, { linkMay: isLink })
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES, onError: (c) => refused(c, bodyTooLarge()) }))
  app.get('/', (c) => c.redirect(UI))
  app.get(`${UI}/assets/:file`, (c) => {
    const asset = findDashboardAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknownPage(c)
  })
  app.get(`${UI}/log-in`, (c) => sessions.askForToken(c))
  app.post(`${UI}/log-in`, (c) => sessions.logIn(c))

  for (const [method, path, here, reply] of ROUTES) {
    // The page of the sandbox `default`, and below its name of any other.
    const paths = [`${UI}${path}`, `${UI}/sandboxes/:sandbox${path}`]
    app.on(method, paths, (c) => answer(c, served, here, reply))
  }

  app.notFound(unknownPage)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return refused(c, cause)
    if (cause instanceof WrongOption) return refused(c, invalidOption(cause.message.replace(/\.$/, '')))
    bug(cause, c.req.raw.signal)
    return bugPage(c)
  })
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }
}

const ROUTES: readonly PageRoute[] = [
  ordersPage,
  ['GET', '/live', '', liveReply],
  ['GET', '/requests', 'requests', requestsReply],
  ['GET', '/requests/compare', 'requests', compareRequestsReply],
  ['GET', '/requests/:id', 'requests', requestReply],
  ['GET', '/requests/:id/again', 'requests', changeRequestReply],
  ['POST', '/requests/:id/again', 'requests', againReply],
  ['GET', '/requests/:id/beside/:other', 'requests', besideReply],
  ['GET', '/record', 'requests', recordReply],
  ['GET', '/record/file', 'requests', recordFileReply],
  ['GET', '/timeline', 'timeline', timelineReply],
  kindsPage,
  ['GET', '/resources/:what', 'resources', resourcesReply],
  ledgerPage,
  conductPage,
  ['GET', '/real-service', 'real-service', realServiceReply],
  ['GET', '/real-service/:number', 'real-service', bothAnswersReply],
  outboxPage,
  messagePage,
  ['GET', '/webhooks', 'webhooks', eventsReply],
  // The page's old address, for bookmarks.
  ['GET', '/events', 'webhooks', eventsReply],
  ['GET', '/events/:id', 'webhooks', eventReply],
  ['GET', '/deliveries/:id', 'webhooks', deliveryReply],
  ['GET', '/behaviors', 'behaviors', behaviorsReply],
  sandboxesPage,
  comparePage,
  ['GET', '/snapshots/:name', 'sandboxes', snapshotReply],
  referencePage,
  ['GET', '/find', 'find', searchReply],
  ['POST', '/do/:action', '', actReply],
]

async function answer(
  c: Context,
  served: Dashboard,
  here: DashboardPage,
  reply: PageRoute[3],
): Promise<Response> {
  const { sandboxes, sessions } = served
  const session = await sessions.of(c)
  if (session === undefined) return c.redirect(`${UI}/log-in?back=${encodeURIComponent(pathOf(c))}`, 303)
  const control = sandboxes.find(c.req.param('sandbox') ?? DEFAULT_SANDBOX)
  const view = viewOf(served, c, control, session, here)
  const replied = await reply({ c, control, view, dashboard: served })
  if (replied instanceof Response) return replied
  if ('to' in replied) return c.body(null, 303, { ...HEADERS, Location: replied.to })
  return sendPage(c, replied.page, replied.status)
}
