/**
 * The hosted pages over HTTP. Each request is one transaction: it finds the checkout and the buyer's session, runs one step
 * of the flow, and answers with a page or a redirect (303) to the next one.
 */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import {
  accept,
  enterCode,
  type FormInput,
  openApplication,
  sendCode,
} from '../../service/buyer-flow/flow.ts'
import type { Application } from '../../service/domain/application.ts'
import type { DoorServices } from '../../service/door/door.ts'
import type { SuggestionPage } from '../../service/environments/rules.ts'
import { Unit } from '../../service/operations/unit.ts'
import { requirePlainBody } from '../../spec/body.ts'
import type { Checkout } from '../../spec/contract/checkout.ts'
import { ApiError, NotStored } from '../../spec/contract/errors.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { assetHeaders } from '../assets.ts'
import type { FormState } from '../form.tsx'
import { pageHeaders, renderPage, SCRIPT } from '../frame.tsx'
import { readForm } from '../read-form.ts'
import { Sessions } from '../session.ts'
import { type DashboardPages, findBuyerAsset, type Order } from './frame.tsx'
import { CodePage, LockedPage, LogInPage } from './pages.tsx'
import { type BuyerSession, parseSession } from './session.ts'
import {
  ApprovedPage,
  CanceledPage,
  ConfirmedPage,
  ExpiredPage,
  FailedPage,
  NotSavedPage,
  RefusedPage,
  TooLargePage,
  UnknownPage,
} from './state-pages.tsx'
import { BUYER_STEPS, type BuyerStep, isBuyerStep, nextBuyerStep } from './steps.tsx'

/** Finds the sandbox that a path names; without a name it is the default one. */
type FindDoorServices = (sandbox: string | undefined) => DoorServices | undefined

const COOKIE = 'paysim_checkout'
const SECRET = 'sessionSecret'
const FORM_MAX_BYTES = 16 * 1024
const BASES = ['/checkout/:id', '/sandboxes/:sandbox/checkout/:id']

/**
 * The pages at one address: those of its environment's sandboxes. `dashboard` finds the dashboard of one of
 * them.
 */
interface At {
  environment: Environment
  find: FindDoorServices
  dashboard(sandbox: string | undefined): DashboardPages
}

interface BuyerRequest {
  unit: Unit
  checkout: Checkout
  order: Order
  session: BuyerSession | undefined
  sessions: Sessions
  typed: FormInput
  /** Whether the form carries its session's token. */
  isOurForm: boolean
  query: FormInput
}

/** A page or a redirect. The cookie is written only if there is a session. */
type Reply = { session?: BuyerSession } & ({ to: string } | Shown)

interface Shown {
  page: unknown
  status?: ContentfulStatusCode
  formTargets?: string[]
}

export function buyerPages(at: At, bug: (cause: unknown, client: AbortSignal) => void) {
  const { environment } = at
  const app = new Hono()
  const unknown = (c: Context) => unknownPage(c, environment)
  const tooLarge = (c: Context) =>
    c.body(renderPage(<TooLargePage environment={environment} />), 413, pageHeaders())
  app.notFound(unknown)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) {
      const { status, message, headers } = cause
      const page = renderPage(<RefusedPage environment={environment} message={message} />)
      return c.body(page, status as ContentfulStatusCode, { ...pageHeaders(), ...headers })
    }
    bug(cause, c.req.raw.signal)
    return c.body(renderPage(<FailedPage environment={environment} />), 500, pageHeaders())
  })
  const on = (method: 'GET' | 'POST', path: string, reply: (request: BuyerRequest, step: string) => Reply) =>
    app.on(
      method,
      BASES.map((base) => base + path),
      (c) => handle(c, at, (request) => reply(request, c.req.param('step') ?? '')),
    )
  app.use(async (c, next) => {
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES, onError: tooLarge }))

  app.get('/assets/:file', (c) => {
    const asset = findBuyerAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknown(c)
  })
  on('GET', '', resume)
  on('GET', '/cancel', cancel)
  on('GET', '/log-in', (request) => showLogIn(request))
  on('POST', '/log-in', submitContact)
  on('GET', '/code', (request) => showCode(request))
  on('POST', '/code', submitCode)
  on('POST', '/code/again', sendAgain)
  on('POST', '/review', submitReview)
  on('GET', '/:step', showStep)
  on('POST', '/:step', submitStep)
  return { fetch: app.fetch }
}

const unknownPage = (c: Context, environment: Environment) =>
  c.body(renderPage(<UnknownPage environment={environment} />), 404, pageHeaders())

async function handle(
  c: Context,
  { environment, find, dashboard }: At,
  reply: (request: BuyerRequest) => Reply,
): Promise<Response> {
  const typed = c.req.method === 'POST' ? Object.fromEntries(await readForm(c)) : {}
  const { origin } = new URL(c.req.url)
  const id = c.req.param('id') ?? ''
  const buyer = await buyerOf(c, id, find(c.req.param('sandbox')), typed.token)
  // Read again: a reset may have replaced the database while the signature was checked.
  const sandbox = find(c.req.param('sandbox'))
  if (!sandbox?.services.store.checkouts.find(id)) return unknownPage(c, environment)

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
      return c.body(renderPage(<NotSavedPage environment={environment} />), 503, pageHeaders())
    }
    // The checkout changed while the page was open, so the buyer is shown its present state.
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
  reply: Reply & { sessions?: Sessions },
): Promise<Response> {
  if (reply.session) {
    await reply.sessions?.write(c, COOKIE, JSON.stringify({ ...reply.session, at: now }), path)
  }
  if ('to' in reply) return c.body(null, 303, { ...pageHeaders(), Location: inAscii(reply.to) })
  const { page, status = 200, formTargets } = reply
  return c.body(renderPage(page as string), status, pageHeaders(formTargets, SCRIPT))
}

/** Percent-encodes other characters, as a header is ASCII; the URL means the same. */
const inAscii = (url: string) => url.replace(/[^!-~]+/g, encodeURIComponent)

/**
 * The Content-Security-Policy of the last form allows every target: it redirects to the shop, which may
 * redirect to any other site. Paysim's own redirect does not depend on what the page sent.
 */
const SHOP = ['http:', 'https:']

/** Drawn once and kept in the sandbox's database, so that sessions go on after a restart or in a copy of the data. */
function secretOf(unit: Unit): string {
  const { settings } = unit.store
  const stored = settings.get<string>(SECRET)
  if (stored !== undefined) return stored
  const secret = unit.id('session')
  settings.put(SECRET, secret)
  return secret
}

/** The merchant is shown as the host of its success URL, as the API has no name for it. */
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
    preselected: paymentMethodType ?? undefined,
    testers: helpsTesters ? { dashboard, approved: testersBuyer.approved } : undefined,
  }
}

// Without a log-in

function resume(request: BuyerRequest): Reply {
  const { session, order } = request
  if (session?.contact && !session.loggedIn) return { to: `${order.path}/code` }
  const application = applicationOf(request)
  const step = application && nextBuyerStep(application)
  return step && pending(request) ? { to: `${order.path}/${step}` } : showLogIn(request)
}

function cancel(request: BuyerRequest): Reply {
  const { checkout, order } = request
  return checkout.status === 'canceled' || checkout.status === 'pending'
    ? { to: checkout.cancelUrl || order.path }
    : showState(request)
}

const pending = ({ checkout }: BuyerRequest) => checkout.status === 'pending'

function showState({ checkout: { status, successUrl }, order }: BuyerRequest): Reply {
  if (status === 'canceled') return { page: <CanceledPage order={order} /> }
  if (status === 'confirmed') return { page: <ConfirmedPage order={order} successUrl={successUrl} /> }
  return { page: <ApprovedPage order={order} successUrl={successUrl} /> }
}

const expired = ({ order }: BuyerRequest): Reply => ({ page: <ExpiredPage order={order} />, status: 403 })

// Logging in

function showLogIn(request: BuyerRequest, form: FormState<'contact'> = filled(request, 'log-in')): Reply {
  if (!pending(request)) return showState(request)
  const { order, sessions, checkout, unit } = request
  const lock = lockOf(request)
  if (lock) return lock
  const session = request.session ?? {
    id: unit.id('session'),
    checkoutId: checkout.id,
    contact: null,
    loggedIn: false,
    at: unit.now,
  }
  const page = (
    <LogInPage
      order={order}
      token={sessions.formToken(session.id)}
      fills={fills(request, 'log-in')}
      {...form}
    />
  )
  return { page, session, status: form.problems ? 400 : 200 }
}

const submitContact = (request: BuyerRequest) =>
  guarded(request, (session) => {
    const { unit, checkout, order, typed } = request
    if (lockOf(request)) return { to: order.path }
    openApplication(unit, checkout)
    const sent = sendCode(unit, checkout, typed)
    if (sent.problems) return showLogIn(request, { values: typed, problems: sent.problems })
    return { to: `${order.path}/code`, session: { ...session, contact: sent.value.to, loggedIn: false } }
  })

function showCode(request: BuyerRequest, form: FormState<'code'> = filled(request, 'code')): Reply {
  if (!pending(request)) return showState(request)
  const { order, session, sessions, query } = request
  if (!session?.contact || session.loggedIn) return { to: order.path }
  const lock = lockOf(request)
  if (lock) return lock
  const page = (
    <CodePage
      order={order}
      token={sessions.formToken(session.id)}
      contact={session.contact}
      sentAgain={query.again !== undefined}
      fills={fills(request, 'code')}
      {...form}
    />
  )
  return { page, session, status: form.problems ? 400 : 200 }
}

const submitCode = (request: BuyerRequest) =>
  guarded(request, (session) => {
    const { unit, checkout, order, typed } = request
    if (session.contact === null) return { to: order.path }
    if (lockOf(request)) return { to: order.path }
    const application = openApplication(unit, checkout)
    const entered = enterCode(unit, checkout, application, session.contact, typed)
    if (entered.problems) return showCode(request, { problems: entered.problems })
    return { to: order.path, session: { ...session, loggedIn: true } }
  })

const sendAgain = (request: BuyerRequest) =>
  guarded(request, (session) => {
    const { unit, checkout, order } = request
    if (lockOf(request)) return { to: order.path }
    sendCode(unit, checkout, { contact: session.contact ?? '' })
    return { to: `${order.path}/code?again=yes`, session }
  })

/** While the log-in is locked, its pages show only that, to every visitor of this checkout. */
function lockOf({ order, unit, checkout }: BuyerRequest): Reply | undefined {
  const { lockedUntil = null } = unit.store.applications.findByCheckout(checkout.id) ?? {}
  if (lockedUntil === null || unit.now >= lockedUntil) return undefined
  const minutes = Math.ceil((lockedUntil - unit.now) / 60_000)
  return { page: <LockedPage order={order} minutes={minutes} />, status: 429 }
}

// After the log-in

/** The application, if this session's buyer has logged in and is its latest contact. */
function applicationOf({ unit, checkout, session }: BuyerRequest): Application | undefined {
  if (!session?.loggedIn) return undefined
  const application = unit.store.applications.findByCheckout(checkout.id)
  return application?.contact === session.contact ? application : undefined
}

function showStep(request: BuyerRequest, name: string): Reply {
  if (!pending(request)) return showState(request)
  const { order, session } = request
  const application = applicationOf(request)
  if (!session || !application || !isBuyerStep(name) || !BUYER_STEPS[name].isOpen(application, order)) {
    return { to: order.path }
  }
  const { fills: fillPage } = BUYER_STEPS[name]
  return show(request, session, application, name, fillPage ? filled(request, fillPage) : {})
}

function show(
  request: BuyerRequest,
  session: BuyerSession,
  application: Application,
  name: BuyerStep,
  form: FormState<string>,
): Reply {
  const { order, sessions } = request
  const step = BUYER_STEPS[name]
  const offered = step.fills ? fills(request, step.fills) : []
  const token = sessions.formToken(session.id)
  const page = step.show({ order, token, application, form: { ...form, fills: offered } })
  return {
    page,
    session,
    status: form.problems ? 400 : 200,
    ...(name === 'review' && { formTargets: SHOP }),
  }
}

const submitStep = (request: BuyerRequest, name: string) =>
  guarded(request, (session) => {
    const application = applicationOf(request)
    if (!application) return expired(request)
    const step = isBuyerStep(name) ? BUYER_STEPS[name] : undefined
    const { unit, checkout, order, typed } = request
    if (!step?.submit) return { to: order.path }
    const done = step.submit(unit, checkout, application, typed)
    if (!done.problems) return { to: `${order.path}/${nextBuyerStep(done.value)}`, session }
    const form = refusedForm(step.fields ?? {}, typed, done.problems)
    return show(request, session, application, name as BuyerStep, form)
  })

function submitReview(request: BuyerRequest): Reply {
  const { checkout, order, unit } = request
  const application = applicationOf(request)
  // A profile may make the URL optional; without one the buyer stays on the page, which says that the
  // checkout is approved.
  const back = checkout.successUrl || order.path
  // A second click: the first request has accepted already.
  if (checkout.status === 'approved' && application?.status === 'accepted') return { to: back }
  return guarded(request, () => {
    if (!application) return expired(request)
    accept(unit, checkout, application)
    return { to: back }
  })
}

/** A form is accepted only from a page of ours, and only while the checkout is pending. */
function guarded(request: BuyerRequest, submit: (session: BuyerSession) => Reply): Reply {
  const { session, isOurForm } = request
  if (!pending(request)) return showState(request)
  if (!session || !isOurForm) return expired(request)
  return submit(session)
}

// Forms

const fills = ({ checkout, unit }: BuyerRequest, page: SuggestionPage) =>
  unit.services.rules.suggestions(page, checkout.amount)

/** A suggested test value is a link to the page with its fields filled in. */
function filled(request: BuyerRequest, page: SuggestionPage): FormState<string> {
  const chosen = fills(request, page).find(({ id }) => id === request.query.fill)
  return chosen ? { values: chosen.fields } : {}
}

const TYPE_AGAIN = 'Type this again. It was not stored.'

/** `kept` is sent by the page's script: the values that the server forgets are then still in the browser. */
function refusedForm(
  fields: NonNullable<(typeof BUYER_STEPS)[BuyerStep]['fields']>,
  typed: FormInput,
  problems: Partial<FormInput>,
): FormState<string> {
  const names = Object.keys(fields)
  const lost = typed.kept === undefined ? names.filter((name) => fields[name] === 'forgotten') : []
  const typeAgain = Object.fromEntries(lost.map((name) => [name, TYPE_AGAIN]))
  return {
    values: pick(
      typed,
      names.filter((name) => fields[name] === 'shown again'),
    ),
    problems: pick({ ...typeAgain, ...problems }, names),
  }
}

const pick = (texts: Partial<FormInput>, names: readonly string[]): FormInput =>
  Object.fromEntries(names.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])))
