/**
 * The hosted pages over HTTP. One visit is one transaction: it finds the checkout and who is at the page, lets the flow
 * do a step, and answers with a page or with a redirect (303) to the next one.
 */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Checkout } from '../contract/checkout.ts'
import { ApiError } from '../contract/errors.ts'
import type { Application } from '../domain/application.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import { assetHeaders, findAsset } from '../pages/assets.ts'
import type { FormState } from '../pages/form.tsx'
import { pageHeaders, renderPage } from '../pages/frame.tsx'
import { type SuggestionPage, suggestionsFor } from './fills.ts'
import { accept, enterCode, type FormInput, openApplication, sendCode } from './flow.ts'
import type { Order } from './frame.tsx'
import { CodePage, LockedPage, LogInPage } from './pages.tsx'
import { type BuyerSession, formToken, isFormToken, openSession, sealSession } from './session.ts'
import {
  ApprovedPage,
  CanceledPage,
  ConfirmedPage,
  ExpiredPage,
  FailedPage,
  UnknownPage,
} from './state-pages.tsx'
import { BUYER_STEPS, type BuyerStep, isBuyerStep, nextBuyerStep } from './steps.tsx'

/** A sandbox, as far as its buyers need it. */
export interface BuyerServices {
  readonly services: UnitServices
  readonly clock: { now(): number }
}

/** Finds the sandbox that a path names; without a name it is the default one. `origin` is what the buyer addressed. */
export type FindBuyerServices = (sandbox: string | undefined, origin: string) => BuyerServices | undefined

const COOKIE = 'paysim_checkout'
const SECRET = 'sessionSecret'
const FORM_MAX_BYTES = 16 * 1024
const BASES = ['/checkout/:id', '/sandboxes/:sandbox/checkout/:id']

interface Visit {
  unit: Unit
  checkout: Checkout
  order: Order
  session: BuyerSession | undefined
  secret: string
  typed: FormInput
  query: FormInput
}

/** What a visit is answered with. A session that is left out stays as it is. */
type Reply = { session?: BuyerSession } & ({ to: string } | Shown)

interface Shown {
  page: unknown
  status?: ContentfulStatusCode
  formTargets?: string[]
}

export function buyerPages(find: FindBuyerServices, bug: (cause: unknown) => void) {
  const app = new Hono()
  app.notFound(unknown)
  app.onError((cause, c) => {
    bug(cause)
    return c.body(renderPage(<FailedPage />), 500, pageHeaders())
  })
  const on = (method: 'GET' | 'POST', path: string, reply: (visit: Visit, place: string) => Reply) =>
    app.on(
      method,
      BASES.map((base) => base + path),
      (c) => visit(c, find, (visited) => reply(visited, c.req.param('place') ?? '')),
    )
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES }))

  app.get('/assets/:file', (c) => {
    const asset = findAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknown(c)
  })
  on('GET', '', resume)
  on('GET', '/cancel', cancel)
  on('GET', '/log-in', (visited) => showLogIn(visited))
  on('POST', '/log-in', submitContact)
  on('GET', '/code', (visited) => showCode(visited))
  on('POST', '/code', submitCode)
  on('POST', '/code/again', sendAgain)
  on('POST', '/review', submitReview)
  on('GET', '/:place', showPlace)
  on('POST', '/:place', submitPlace)
  return { fetch: app.fetch }
}

const unknown = (c: Context) => c.body(renderPage(<UnknownPage />), 404, pageHeaders())

async function visit(c: Context, find: FindBuyerServices, reply: (visit: Visit) => Reply): Promise<Response> {
  const typed = c.req.method === 'POST' ? await readForm(c) : {}
  const { origin } = new URL(c.req.url)
  const gateServices = find(c.req.param('sandbox'), origin)
  const id = c.req.param('id') ?? ''
  if (!gateServices?.services.store.checkouts.find(id)) return unknown(c)

  const { services, clock } = gateServices
  const { store } = services
  const path = new URL(services.checkoutUrl(id), origin)
  const unit = new Unit(services, clock.now())
  const known = store.settings.get<string>(SECRET)
  const session = known === undefined ? undefined : openSession(getCookie(c, COOKIE), id, known, unit.now)

  const work = () => {
    const checkout = store.checkouts.find(id)!
    const secret = known ?? drawSecret(unit)
    const order = orderOf(checkout, path.pathname)
    return { secret, ...reply({ unit, checkout, order, session, secret, typed, query: c.req.query() }) }
  }
  // Whoever has a session and only looks leaves nothing to be written.
  const looking = c.req.method !== 'POST' && session
  try {
    return answer(c, path, unit.now, await (looking ? store.read(work) : store.transact(work)))
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    // The page was left open while the checkout moved on, so the buyer is shown where it is now.
    return answer(c, path, unit.now, { to: path.pathname, secret: '' })
  }
}

function answer(c: Context, path: URL, now: number, reply: Reply & { secret: string }): Response {
  if (reply.session) {
    setCookie(c, COOKIE, sealSession({ ...reply.session, at: now }, reply.secret), {
      path: path.pathname,
      httpOnly: true,
      sameSite: 'Lax',
      secure: path.protocol === 'https:',
    })
  }
  if ('to' in reply) return c.body(null, 303, { ...pageHeaders(), Location: inAscii(reply.to) })
  const { page, status = 200, formTargets } = reply
  return c.body(renderPage(page as string), status, pageHeaders(formTargets))
}

/** A header is ASCII; a URL with other characters means the same with them percent-encoded. */
const inAscii = (url: string) => url.replace(/[^!-~]+/g, encodeURIComponent)

/**
 * The last form ends at the shop, and only the shop knows where its address leads on. Where our own redirect goes is
 * decided here and not by the page.
 */
const SHOP = ['http:', 'https:']

async function readForm(c: Context): Promise<FormInput> {
  if (!c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded')) return {}
  const fields = Object.entries(await c.req.parseBody())
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'))
}

/** Drawn once, and kept with the data: a copy of the data knows the sessions that were begun on it. */
function drawSecret(unit: Unit): string {
  const secret = unit.id('session')
  unit.store.settings.put(SECRET, secret)
  return secret
}

/** The buyer knows the shop by its address. */
const orderOf = (
  { orderId, externalId, amount, successUrl, paymentMethodType }: Checkout,
  path: string,
): Order => ({
  path,
  merchant: new URL(successUrl).host,
  orderId,
  externalId,
  amount,
  preselected: paymentMethodType ?? undefined,
})

// What needs no log-in

function resume(visited: Visit): Reply {
  const { session, order } = visited
  if (session?.contact && !session.loggedIn) return { to: `${order.path}/code` }
  const application = applicationOf(visited)
  const place = application && nextBuyerStep(application)
  return place && pending(visited) ? { to: `${order.path}/${place}` } : showLogIn(visited)
}

function cancel(visited: Visit): Reply {
  const { checkout } = visited
  return checkout.status === 'canceled' || checkout.status === 'pending'
    ? { to: checkout.cancelUrl }
    : showState(visited)
}

const pending = ({ checkout }: Visit) => checkout.status === 'pending'

function showState({ checkout: { status, successUrl }, order }: Visit): Reply {
  if (status === 'canceled') return { page: <CanceledPage order={order} /> }
  if (status === 'confirmed') return { page: <ConfirmedPage order={order} successUrl={successUrl} /> }
  return { page: <ApprovedPage order={order} successUrl={successUrl} /> }
}

const expired = ({ order }: Visit): Reply => ({ page: <ExpiredPage order={order} />, status: 403 })

// Logging in

function showLogIn(visited: Visit, form: FormState<'contact'> = filled(visited, 'log-in')): Reply {
  if (!pending(visited)) return showState(visited)
  const { order, secret, checkout, unit } = visited
  const session = visited.session ?? {
    id: unit.id('session'),
    checkoutId: checkout.id,
    contact: null,
    loggedIn: false,
    at: unit.now,
  }
  const page = (
    <LogInPage order={order} token={formToken(session, secret)} fills={fills(visited, 'log-in')} {...form} />
  )
  return { page, session, status: form.problems ? 400 : 200 }
}

const submitContact = (visited: Visit) =>
  guarded(visited, (session) => {
    const { unit, checkout, order, typed } = visited
    const lock = lockOf(visited)
    if (lock) return lock
    openApplication(unit, checkout)
    const sent = sendCode(unit, checkout, typed)
    if (sent.problems) return showLogIn(visited, { values: typed, problems: sent.problems })
    return { to: `${order.path}/code`, session: { ...session, contact: sent.value.to, loggedIn: false } }
  })

function showCode(visited: Visit, form: FormState<'code'> = filled(visited, 'code')): Reply {
  if (!pending(visited)) return showState(visited)
  const { order, session, secret, query } = visited
  if (!session?.contact || session.loggedIn) return { to: order.path }
  const lock = lockOf(visited)
  if (lock) return lock
  const page = (
    <CodePage
      order={order}
      token={formToken(session, secret)}
      contact={session.contact}
      sentAgain={query.again !== undefined}
      fills={fills(visited, 'code')}
      {...form}
    />
  )
  return { page, session, status: form.problems ? 400 : 200 }
}

const submitCode = (visited: Visit) =>
  guarded(visited, (session) => {
    const { unit, checkout, order, typed } = visited
    if (session.contact === null) return { to: order.path }
    const lock = lockOf(visited)
    if (lock) return lock
    const application = openApplication(unit, checkout)
    const entered = enterCode(unit, checkout, application, session.contact, typed)
    if (entered.problems) return showCode(visited, { problems: entered.problems })
    return { to: order.path, session: { ...session, loggedIn: true } }
  })

const sendAgain = (visited: Visit) =>
  guarded(visited, (session) => {
    const { unit, checkout, order } = visited
    const lock = lockOf(visited)
    if (lock) return lock
    sendCode(unit, checkout, { contact: session.contact ?? '' })
    return { to: `${order.path}/code?again=yes`, session }
  })

/** A locked log-in shows so and nothing else, whoever asks. */
function lockOf({ order, unit, checkout }: Visit): Reply | undefined {
  const { lockedUntil = null } = unit.store.applications.findByCheckout(checkout.id) ?? {}
  if (lockedUntil === null || unit.now >= lockedUntil) return undefined
  const minutes = Math.ceil((lockedUntil - unit.now) / 60_000)
  return { page: <LockedPage order={order} minutes={minutes} />, status: 429 }
}

// What needs one

/** The application of the buyer who is at the page, if it is still theirs. */
function applicationOf({ unit, checkout, session }: Visit): Application | undefined {
  if (!session?.loggedIn) return undefined
  const application = unit.store.applications.findByCheckout(checkout.id)
  return application?.contact === session.contact ? application : undefined
}

function showPlace(visited: Visit, place: string): Reply {
  if (!pending(visited)) return showState(visited)
  const { order, session } = visited
  const application = applicationOf(visited)
  if (!session || !application || !isBuyerStep(place) || !BUYER_STEPS[place].isOpen(application, order)) {
    return { to: order.path }
  }
  const { fills: fillPage } = BUYER_STEPS[place]
  return show(visited, session, application, place, fillPage ? filled(visited, fillPage) : {})
}

function show(
  visited: Visit,
  session: BuyerSession,
  application: Application,
  place: BuyerStep,
  form: FormState<string>,
): Reply {
  const { order, secret } = visited
  const step = BUYER_STEPS[place]
  const offered = step.fills ? fills(visited, step.fills) : []
  const token = formToken(session, secret)
  const page = step.show({ order, token, application, form: { ...form, fills: offered } })
  return {
    page,
    session,
    status: form.problems ? 400 : 200,
    ...(place === 'review' && { formTargets: SHOP }),
  }
}

const submitPlace = (visited: Visit, place: string) =>
  guarded(visited, (session) => {
    const application = applicationOf(visited)
    if (!application) return expired(visited)
    const step = isBuyerStep(place) ? BUYER_STEPS[place] : undefined
    const { unit, checkout, order, typed } = visited
    if (!step?.submit) return { to: order.path }
    const done = step.submit(unit, checkout, application, typed)
    if (!done.problems) return { to: `${order.path}/${nextBuyerStep(done.value)}`, session }
    const values = pick(typed, step.shownAgain ?? [])
    return show(visited, session, application, place as BuyerStep, {
      values,
      problems: done.problems as FormInput,
    })
  })

function submitReview(visited: Visit): Reply {
  const { checkout, unit } = visited
  const application = applicationOf(visited)
  // A second click on the same button: the first one has done it.
  if (checkout.status === 'approved' && application?.status === 'accepted') return { to: checkout.successUrl }
  return guarded(visited, () => {
    if (!application) return expired(visited)
    accept(unit, checkout, application)
    return { to: checkout.successUrl }
  })
}

/** A form is taken from a page of ours only, and while the checkout still waits for its buyer. */
function guarded(visited: Visit, submit: (session: BuyerSession) => Reply): Reply {
  const { session, typed, secret } = visited
  if (!pending(visited)) return showState(visited)
  if (!session || !isFormToken(typed.token ?? '', session, secret)) return expired(visited)
  return submit(session)
}

// Forms

const fills = ({ checkout, unit }: Visit, page: SuggestionPage) =>
  suggestionsFor(page, checkout.amount, unit.services.staging)

/** A page opened by one of staging's links has its fields filled in. */
function filled(visited: Visit, page: SuggestionPage): FormState<string> {
  const chosen = fills(visited, page).find(({ id }) => id === visited.query.fill)
  return chosen ? { values: chosen.fields } : {}
}

const pick = (typed: FormInput, names: readonly string[]): FormInput =>
  Object.fromEntries(names.flatMap((name) => (typed[name] === undefined ? [] : [[name, typed[name]]])))
