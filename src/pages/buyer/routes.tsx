/**
 * The hosted pages over HTTP. Each request is one transaction: it finds the checkout and the buyer's session, runs one step
 * of the flow, and answers with a page or a redirect (303) to the next one.
 */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { DoorServices } from '../../service/door/door.ts'
import { Unit } from '../../service/operations/unit.ts'
import { requirePlainBody } from '../../spec/body.ts'
import { ApiError, NotStored } from '../../spec/contract/errors.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { findAsset } from '../assets.ts'
import { pageHeaders, renderPage } from '../frame.tsx'
import { readForm } from '../read-form.ts'
import { Sessions } from '../session.ts'
import { type BuyerReply, type BuyerRequest, isPending, parseSession, showState } from './buyer-request.tsx'
import type { DashboardPages, Order } from './frame.tsx'
import { submitReview } from './review.tsx'
import { FAILED, NOT_SAVED, type PageAlone, pageAlone, refusal, TOO_LARGE, UNKNOWN } from './state-pages.tsx'
import { showStep, stepOf, submitStep } from './steps.ts'

const COOKIE = 'paysim_checkout'
const SECRET = 'sessionSecret'
const FORM_MAX_BYTES = 16 * 1024
const ASSET_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}

const BASES = ['/checkout/:id', '/sandboxes/:sandbox/checkout/:id']

/** The pages of all sandboxes of one environment. `dashboard` returns the dashboard of a sandbox. */
interface At {
  environment: Environment
  /** The sandbox that a path names; without a name it is the default one. */
  find(sandbox: string | undefined): DoorServices | undefined
  dashboard(sandbox: string | undefined): DashboardPages
}

export function buyerPages(at: At, bug: (cause: unknown, client: AbortSignal) => void) {
  const { environment } = at
  const app = new Hono()
  const unknown = (c: Context) => sendAlone(c, environment, UNKNOWN)
  app.notFound(unknown)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return sendAlone(c, environment, refusal(cause), cause.headers)
    bug(cause, c.req.raw.signal)
    return sendAlone(c, environment, FAILED)
  })
  const on = (
    method: 'GET' | 'POST',
    path: string,
    reply: (request: BuyerRequest, step: string) => BuyerReply,
  ) =>
    app.on(
      method,
      BASES.map((base) => base + path),
      (c) => handle(c, at, (request) => reply(request, c.req.param('step') ?? '')),
    )
  app.use(async (c, next) => {
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES, onError: (c) => sendAlone(c, environment, TOO_LARGE) }))

  app.get('/assets/:file', (c) => {
    const asset = findAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...ASSET_HEADERS, 'Content-Type': asset.type }) : unknown(c)
  })
  on('GET', '', resume)
  on('GET', '/cancel', cancel)
  on('POST', '/review', submitReview)
  on('GET', '/:step', showStep)
  on('POST', '/:step', submitStep)
  return { fetch: app.fetch }
}

const sendAlone = (c: Context, environment: Environment, page: PageAlone, headers = {}) =>
  c.body(pageAlone(environment, page), page.status, { ...pageHeaders(), ...headers })

async function handle(
  c: Context,
  { environment, find, dashboard }: At,
  reply: (request: BuyerRequest) => BuyerReply,
): Promise<Response> {
  const typed = c.req.method === 'POST' ? await readForm(c) : {}
  const { origin } = new URL(c.req.url)
  const id = c.req.param('id') ?? ''
  const buyer = await buyerOf(c, id, find(c.req.param('sandbox')), typed.token)
  // Read again: a reset may have replaced the database while the signature was checked.
  const sandbox = find(c.req.param('sandbox'))
  if (!sandbox?.services.store.checkouts.find(id)) return sendAlone(c, environment, UNKNOWN)

  const { services, clock } = sandbox
  const { store } = services
  const path = new URL(services.address.checkoutUrl(id), origin)
  const unit = new Unit(services, clock.now())
  const work = () => {
    const checkout = store.checkouts.find(id)!
    const sessions = new Sessions(secretOf(unit))
    const order = orderOf(unit, checkout, environment, path.pathname, dashboard(c.req.param('sandbox')))
    return { sessions, ...reply({ unit, checkout, order, ...buyer, sessions, typed, query: c.req.query() }) }
  }
  // A GET with a valid session changes nothing, so it needs no transaction.
  const looking = c.req.method !== 'POST' && buyer.session
  try {
    return answer(c, path, unit.now, await (looking ? store.read(work) : store.transact(work)))
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    if (cause instanceof NotStored) {
      sandbox.report.notStored(cause)
      return sendAlone(c, environment, NOT_SAVED)
    }
    // The checkout changed while the page was open, so the buyer is shown its current state.
    return answer(c, path, unit.now, { to: path.pathname })
  }
}

/** The session in the cookie, if it is valid for this checkout, and whether the form has its token. */
async function buyerOf(
  c: Context,
  checkoutId: string,
  sandbox: DoorServices | undefined,
  token = '',
): Promise<Pick<BuyerRequest, 'session' | 'isOurForm'>> {
  const secret = sandbox?.services.store.settings.get<string>(SECRET)
  const sessions = secret === undefined ? undefined : new Sessions(secret)
  const cookie = await sessions?.read(c, COOKIE)
  if (!sandbox || !sessions || cookie === undefined) return { session: undefined, isOurForm: false }
  const session = parseSession(cookie, checkoutId, sandbox.clock.now())
  return { session, isOurForm: session !== undefined && sessions.isFormToken(token, session.id) }
}

async function answer(
  c: Context,
  path: URL,
  now: number,
  reply: BuyerReply & { sessions?: Sessions },
): Promise<Response> {
  if (reply.session) {
    await reply.sessions?.write(c, COOKIE, JSON.stringify({ ...reply.session, at: now }), path)
  }
  if ('to' in reply) return c.body(null, 303, { ...pageHeaders(), Location: inAscii(reply.to) })
  const { page, status = 200, formTargets } = reply
  return c.body(renderPage(page as string), status, pageHeaders(formTargets))
}

/** Percent-encodes other characters, because a header is ASCII; the URL means the same. */
const inAscii = (url: string) => url.replace(/[^!-~]+/g, encodeURIComponent)

/** Drawn once and stored in the sandbox's database, so that sessions survive a restart or a copy of the data. */
function secretOf(unit: Unit): string {
  const { settings } = unit.store
  const stored = settings.get<string>(SECRET)
  if (stored !== undefined) return stored
  const secret = unit.id('session')
  settings.put(SECRET, secret)
  return secret
}

/** The merchant is shown as the host of its success URL, because the API has no name for it. */
function orderOf(
  { store, services }: Unit,
  { orderId, externalId, amount, successUrl, paymentMethodType }: Checkout,
  environment: Environment,
  path: string,
  dashboard: DashboardPages,
): Order {
  const { helpsTesters, testersBuyer } = services.rules
  return {
    path,
    environment,
    merchant: successUrl === '' ? externalId : new URL(successUrl).host,
    orderId,
    business: store.customers.findByExternalId(externalId)?.name ?? externalId,
    amount,
    currency: services.contract.currency,
    preselected: paymentMethodType,
    testers: helpsTesters ? { dashboard, approved: testersBuyer.approved } : undefined,
  }
}

// Without a log-in

function resume(request: BuyerRequest): BuyerReply {
  const step = stepOf(request)
  return isPending(request) && step !== 'log-in'
    ? { to: `${request.order.path}/${step}` }
    : showStep(request, step)
}

function cancel(request: BuyerRequest): BuyerReply {
  const { checkout, order } = request
  return checkout.status === 'canceled' || checkout.status === 'pending'
    ? { to: checkout.cancelUrl || order.path }
    : showState(request)
}
