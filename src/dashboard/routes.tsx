/**
 * The dashboard over HTTP. A page shows what the tester's object answers. A form is sent on as a request below `/_sim`, and
 * the browser is redirected to a page with a sentence about the result.
 */

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { timingSafeEqual } from 'hono/utils/buffer'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { contractOf } from '../contract/contract.ts'
import { Duration } from '../contract/duration.ts'
import { ApiError, bodyTooLarge, invalidOption, notFound } from '../contract/errors.ts'
import { ID_PREFIXES, idKindOf, requestId, requestNumber } from '../contract/ids.ts'
import { requirePlainBody } from '../contract/plain-body.ts'
import type { SandboxControl, Sandboxes } from '../control/control.ts'
import { requireTester } from '../control/guard.ts'
import type { RequestFilter } from '../control/inputs.ts'
import { recordPlayed } from '../control/record.ts'
import type { RequestExplained, RequestSummary } from '../control/shapes.ts'
import { inTurns } from '../control/turns.ts'
import { type Environment, placeOf } from '../environments/environment.ts'
import { operationsUnder } from '../operations/table.ts'
import { WrongOption } from '../options/read.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { instant } from '../options/values.ts'
import { assetHeaders } from '../pages/assets.ts'
import { pageHeaders, renderPage } from '../pages/frame.tsx'
import { Sessions } from '../pages/session.ts'
import { recordStep } from '../recorder/record-scenario.ts'
import type { ShadowList } from '../shadow/shadow-list.ts'
import { createIds } from '../world/ids.ts'
import { Random } from '../world/random.ts'
import { ACTIONS, type ControlRequest, type DashboardAction, type Fields, isAction } from './actions.ts'
import { BesidePage, besideAddress, ChangeRequestPage } from './again.tsx'
import { findDashboardAsset } from './assets.ts'
import { type BehaviorMistake, BehaviorsPage, FIRST_BEHAVIOR } from './behaviors.tsx'
import type { EventAboutResource } from './build-timeline.ts'
import { ComparePage } from './compare.tsx'
import { compareSandboxes } from './compare-sandboxes.ts'
import { ConductPage } from './conduct.tsx'
import { EventDetailPage, EventsPage } from './events.tsx'
import { foldPolls } from './fold-polls.ts'
import { FoundPage, foundAddress } from './found-page.tsx'
import { KINDS } from './kinds.ts'
import { LedgerPage } from './ledger.tsx'
import { openLibrary } from './library.ts'
import { linksOf, UI } from './links.ts'
import { live } from './live.tsx'
import { BY_SCRIPT } from './live-events.ts'
import { DashboardLogInPage, PlainPage } from './log-in.tsx'
import { LogInAttempts } from './log-in-attempts.ts'
import { NothingFoundPage } from './nothing-found-page.tsx'
import { MessagePage, OutboxPage } from './outbox.tsx'
import { OverviewPage } from './overview-page.tsx'
import {
  causeOf,
  comparedSandbox,
  countFailed,
  deliveriesOf,
  eventsAbout,
  listResources,
  relatedLists,
  resourcesByKind,
  subjects,
  timelineOf,
  timelineOfKey,
} from './page-data.ts'
import { RecordPage } from './record-page.tsx'
import { ReferencePage } from './reference.tsx'
import { RequestPage } from './request.tsx'
import { REQUEST_FILTERS, RequestsPage } from './requests.tsx'
import { KindsPage, ListPage, ResourcePage } from './resources.tsx'
import { SandboxesPage } from './sandboxes.tsx'
import { type Mistake, repetitionOf, sendAgain, whyNotAgain } from './send-again.ts'
import { BothAnswersPage, RealServicePage } from './shadow-exchanges.tsx'
import { pickMoments } from './timeline-filter.ts'
import { TIMELINE_FIELDS, TimelinePage } from './timeline-page.tsx'
import type { ActionResult, DashboardPage, View } from './view.ts'

export interface DashboardParts {
  sandboxes: Sandboxes
  /** The folder of the scenarios that come with the program. */
  scenarios: URL
  /** Plays a scenario in a simulator of its own: what fails first; undefined where all of it passes. */
  whyNotPassed(yaml: string): Promise<string | undefined>
  adminToken: string | undefined
  publicUrl: string | undefined
  /** Where the sandbox `default` is played beside a real service. */
  shadow: ShadowList | undefined
  /** Answers a request below `/_sim`. */
  testersSide(request: Request): Response | Promise<Response>
  /** Answers a request of a platform, at the address of that environment. */
  platformSide(environment: Environment, request: Request): Promise<Response>
  /** Aborted when the simulator closes, as an open stream would keep its server waiting. */
  closing: AbortSignal
  bug(cause: unknown, client: AbortSignal): void
}

const FORM_MAX_BYTES = 512 * 1024
const ROWS = 50
const NOW_ROWS = 20
const DUE_GROUPS = 6
/** How many requests are read for one page, as polls of one resource are one row. */
const POLLS_READ_MOST = 200
const NOTICES_MAX = 1000
/** The menu has the latest; the page has more. */
const SANDBOXES_TO_SWITCH_TO = 50

/** The script comes from our own origin, and its stream too. */
const HEADERS = pageHeaders([], ["script-src 'self'", "connect-src 'self'"])

/** A request from a browser that is logged in, with the sandbox that its address names. */
interface PageRequest {
  c: Context
  control: SandboxControl
  view: View
}

/** A page, or a redirect. */
type Reply = { page: unknown; status?: ContentfulStatusCode } | { to: string } | Response

export function dashboard({
  sandboxes,
  scenarios,
  whyNotPassed,
  adminToken,
  publicUrl,
  shadow,
  testersSide,
  platformSide,
  closing,
  bug,
}: DashboardParts) {
  const app = new Hono({ strict: false })
  const ids = createIds(new Random(), ID_PREFIXES)
  // With an admin token, sessions are valid in every process with that token, also after a restart. Without one every visitor gets a session,
  // and the secret comes from a generator of its own, as a session's id tells of the generator that it was drawn from.
  const sessions = new Sessions(adminToken ?? createIds(new Random(), ID_PREFIXES)('session'))
  const attempts = new LogInAttempts()
  const library = openLibrary(scenarios)
  /** By session: what its last action did, until a page shows it. */
  const notices = new Map<string, ActionResult>()

  app.use(async (c, next) => {
    const isLink = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate'
    const guard = { adminToken: undefined, publicUrl }
    requireTester((name) => c.req.header(name), c.req.url, guard, { linkMay: isLink })
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES, onError: (c) => refused(c, bodyTooLarge()) }))
  app.get('/', (c) => c.redirect(UI))
  app.get(`${UI}/assets/:file`, (c) => {
    const asset = findDashboardAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknown(c)
  })
  app.get(`${UI}/log-in`, (c) =>
    adminToken === undefined ? c.redirect(UI) : askForToken(c, backOf(c.req.query('back'))),
  )
  app.post(`${UI}/log-in`, logIn)

  on('GET', '', '', overview)
  on('GET', '/live', '', ({ c, control }) =>
    live(c, {
      control,
      state: () => stateOf(control),
      shown: c.req.header('last-event-id') ?? c.req.query('shown'),
      closing,
      isThere: () => isThere(control),
    }),
  )
  on('GET', '/requests', 'requests', requests)
  on('GET', '/requests/:id', 'requests', request)
  on('GET', '/requests/:id/again', 'requests', ({ c, control, view }) =>
    changeRequest(view, findRequest(c, control)),
  )
  on('POST', '/requests/:id/again', 'requests', again)
  on('GET', '/requests/:id/beside/:other', 'requests', beside)
  on('GET', '/record', 'requests', async ({ c, control, view }) => {
    const choice = recordChoice(c)
    const recording = choice.chosen.length > 0 ? await recordPlayed(control, choice, whyNotPassed) : undefined
    return { page: <RecordPage view={view} {...choice} recording={recording} /> }
  })
  on('GET', '/record/file', 'requests', async ({ c, control }) => {
    const { yaml } = await recordPlayed(control, recordChoice(c), whyNotPassed)
    return c.body(yaml, 200, {
      ...HEADERS,
      'Content-Type': 'application/yaml; charset=utf-8',
      'Content-Disposition': 'attachment; filename="session.yaml"',
    })
  })
  on('GET', '/timeline', 'timeline', timeline)
  on('GET', '/resources', 'resources', async ({ control, view }) => ({
    page: <KindsPage view={view} overview={await control.browse.overview()} />,
  }))
  on('GET', '/resources/:what', 'resources', resources)
  on('GET', '/ledger', 'ledger', ledger)
  on('GET', '/conduct', 'conduct', async ({ control, view }) => ({
    page: <ConductPage view={view} conduct={await control.browse.conduct()} />,
  }))
  on('GET', '/real-service', 'real-service', ({ c, view }) =>
    shadow && view.hasRealService ? { page: <RealServicePage view={view} list={shadow} /> } : unknown(c),
  )
  on('GET', '/real-service/:number', 'real-service', ({ c, view }) => {
    const exchange = view.hasRealService ? shadow?.find(Number(c.req.param('number'))) : undefined
    if (!shadow || !exchange) return unknown(c)
    return { page: <BothAnswersPage view={view} list={shadow} exchange={exchange} /> }
  })
  on('GET', '/outbox', 'outbox', outbox)
  on('GET', '/outbox/:id', 'outbox', message)
  on('GET', '/events', 'events', events)
  on('GET', '/events/:id', 'events', oneEvent)
  on('GET', '/deliveries/:id', 'events', delivery)
  on('GET', '/behaviors', 'behaviors', (request) => behaviors(request))
  on('GET', '/sandboxes', 'sandboxes', ({ control, view }) => ({
    page: (
      <SandboxesPage
        view={view}
        description={control.describe()}
        snapshots={control.snapshots.list()}
        all={sandboxes.list({ limit: ROWS }).data}
        count={sandboxes.sandboxes().length}
      />
    ),
  }))
  on('GET', '/compare', 'sandboxes', compare)
  on('GET', '/snapshots/:name', 'sandboxes', ({ c, control }) => {
    const parts = control.readSnapshot(c.req.param('name') ?? '')
    return c.body(ReadableStream.from(parts), 200, { ...HEADERS, 'Content-Type': 'application/vnd.sqlite3' })
  })
  on('GET', '/reference', 'reference', ({ control, view }) => ({
    page: (
      <ReferencePage
        view={view}
        operations={operationsUnder(contractUnder(control))}
        magic={control.magic()}
        decisions={control.decisions()}
      />
    ),
  }))
  on('GET', '/find', 'find', find)
  on('POST', '/do/:action', '', act)

  app.notFound(unknown)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return refused(c, cause)
    if (cause instanceof WrongOption) return refused(c, invalidOption(cause.message.replace(/\.$/, '')))
    bug(cause, c.req.raw.signal)
    const page = (
      <PlainPage title="Something went wrong on our side">
        <p>This is a bug of paysim. Its log has the details.</p>
      </PlainPage>
    )
    return c.body(renderPage(page), 500, HEADERS)
  })
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }

  // The sandbox and the session of a request

  function on(
    method: 'GET' | 'POST',
    path: string,
    here: DashboardPage,
    reply: (request: PageRequest) => Reply | Promise<Reply>,
  ) {
    const paths = [`${UI}${path}`, ...(path === '/sandboxes' ? [] : [`${UI}/sandboxes/:sandbox${path}`])]
    app.on(
      method,
      [...paths, ...(path === '/sandboxes' ? [`${UI}/sandboxes/:sandbox/sandboxes`] : [])],
      async (c) => {
        const found = await sessions.read(c, cookieName(c))
        if (found === undefined && adminToken !== undefined) {
          return c.redirect(`${UI}/log-in?back=${encodeURIComponent(pathOf(c))}`, 303)
        }
        const session = found ?? (await beginSession(c))
        const control = sandboxes.find(c.req.param('sandbox') ?? DEFAULT_SANDBOX)
        const replied = await reply({ c, control, view: viewOf(c, control, session, here) })
        if (replied instanceof Response) return replied
        if ('to' in replied) return c.body(null, 303, { ...HEADERS, Location: replied.to })
        return c.body(renderPage(replied.page as string), replied.status ?? 200, HEADERS)
      },
    )
  }

  function viewOf(c: Context, control: SandboxControl, session: string, here: DashboardPage): View {
    const isPage = c.req.method === 'GET' && !c.req.path.endsWith('/live') && !c.req.header(BY_SCRIPT)
    const notice = isPage ? notices.get(session) : undefined
    if (notice) notices.delete(session)
    const { environment } = placeOf(control.name, sandboxes.environment)
    const origin = publicUrl ?? new URL(c.req.url).origin
    const { name: sandbox } = control
    return {
      sandbox,
      environment,
      apiKey: control.apiKey,
      base: environment === sandboxes.environment ? origin : (control.describe().url ?? origin),
      sandboxes: sandboxes
        .sandboxes()
        .slice(-SANDBOXES_TO_SWITCH_TO)
        .map(({ name }) => name),
      links: linksOf(sandbox, contractUnder(control).kindOf),
      origin,
      guarded: adminToken !== undefined,
      token: sessions.formToken(session),
      here,
      path: pathOf(c),
      notice,
      armed: control.behaviors().length,
      hasRealService: shadow !== undefined && sandbox === DEFAULT_SANDBOX,
      state: stateOf(control),
      ...timeOf(control),
    }
  }

  /** Another text whenever something has happened that a page may show. */
  function stateOf(control: SandboxControl): string {
    return `${control.browse.state}.${shadow?.count ?? 0}`
  }

  /** And no other one of that name. */
  function isThere(control: SandboxControl): boolean {
    try {
      return sandboxes.find(control.name) === control
    } catch {
      return false
    }
  }

  async function beginSession(c: Context): Promise<string> {
    const session = ids('session')
    await sessions.write(c, cookieName(c), session, new URL(UI, publicUrl ?? c.req.url))
    return session
  }

  function askForToken(c: Context, back: string, problem?: string, status: ContentfulStatusCode = 200) {
    const page = <DashboardLogInPage back={back} problem={problem} />
    return c.body(renderPage(page), status, HEADERS)
  }

  async function logIn(c: Context) {
    const { adminToken: typed, back } = await fieldsOf(c)
    const address = addressOf(c)
    const waitSeconds = attempts.waitSeconds(address)
    if (waitSeconds > 0) {
      c.header('Retry-After', String(waitSeconds))
      return askForToken(c, backOf(back), `Too many wrong tokens. Try again in ${waitSeconds} seconds.`, 429)
    }
    if (adminToken === undefined || !(await timingSafeEqual(String(typed), adminToken))) {
      attempts.failed(address)
      return askForToken(c, backOf(back), 'This is not the admin token.', 401)
    }
    attempts.succeeded(address)
    await beginSession(c)
    return c.redirect(backOf(back), 303)
  }

  function refused(c: Context, { status, message, headers }: ApiError) {
    const page = (
      <PlainPage title={status === 404 ? 'Not found' : 'Request refused'}>
        <p>{message}.</p>
      </PlainPage>
    )
    return c.body(renderPage(page), status as ContentfulStatusCode, { ...HEADERS, ...headers })
  }

  // Forms

  /** The fields of a form of ours, or the redirect that answers one that is too old, or not ours. */
  async function formOf(
    c: Context,
  ): Promise<{ session: string; back: string; fields: Typed } | { to: string }> {
    const session = await sessions.read(c, cookieName(c))
    const { token, back, ...fields } = await fieldsOf(c)
    if (session !== undefined && (await sessions.isFormToken(String(token), session)))
      return { session, back: backOf(back), fields }
    const text = 'This page was open for too long. Nothing was done. Please try again.'
    if (session !== undefined) keepNotice(session, { tone: 'bad', text })
    return { to: backOf(back) }
  }

  /** Compares with another sandbox of this simulator. */
  async function compare({ c, control, view }: PageRequest): Promise<Reply> {
    const other = sandboxes.find(c.req.query('with') ?? DEFAULT_SANDBOX)
    const first = await inTurns(() => resourcesByKind(control))
    const second = await inTurns(() => resourcesByKind(other))
    const kinds = await inTurns(() => compareSandboxes(first.resources, second.resources))
    return {
      page: (
        <ComparePage
          view={view}
          first={await comparedSandbox(control)}
          second={await comparedSandbox(other)}
          kinds={kinds}
          cut={first.cut || second.cut}
        />
      ),
    }
  }

  async function act({ c, control, view }: PageRequest): Promise<Reply> {
    const name = c.req.param('action') ?? ''
    if (!isAction(name)) return unknown(c)
    const form = await formOf(c)
    if ('to' in form) return form
    const { session, back, fields } = form
    const sent = await withExample(fields)
    const mistakes = name === 'arm' ? await mistakesIn(String(sent.yaml ?? '')) : []
    if (mistakes.length > 0)
      return behaviors({ c, control, view: { ...view, here: 'behaviors' } }, sent, mistakes)

    const action: DashboardAction = ACTIONS[name]
    const response = await send(view, action.request(sent))
    const answer = await jsonOf(response)
    if (!response.ok) {
      const { message = String(response.status) } = answer as { message?: string }
      keepNotice(session, { tone: 'bad', text: `${message}.` })
      return { to: back }
    }
    const notice = action.notice(answer as never, sent)
    keepNotice(session, typeof notice === 'string' ? { tone: 'good', text: notice } : notice)
    return { to: action.leadsTo?.(answer as never, sent, view.links) ?? back }
  }

  /** Sends a request of the journal again, as it was or as the form has it, and leads to both answers. */
  async function again({ c, control, view }: PageRequest): Promise<Reply> {
    const request = findRequest(c, control)
    const form = await formOf(c)
    if ('to' in form) return form
    const { session, fields } = form
    const why = whyNotAgain(request)
    const repetition = why === undefined ? repetitionOf(request, fields) : { problem: why.replace(/\.$/, '') }
    if ('problem' in repetition) return changeRequest(view, request, fields, repetition)
    const { origin } = new URL(view.base)
    const side = (sent: Request) => platformSide(view.environment, sent)
    const id = await sendAgain(control, side, origin, repetition.request)
    if (id !== undefined) return { to: besideAddress(view, request.id, id) }
    keepNotice(session, { tone: 'plain', text: 'It was sent, but the journal does not have it any more.' })
    return { to: view.links.page('requests') }
  }

  function keepNotice(session: string, notice: ActionResult): void {
    if (notices.size >= NOTICES_MAX) notices.clear()
    notices.set(session, notice)
  }

  function send({ links, origin }: View, { method, path, of = 'sandbox', body: json, yaml }: ControlRequest) {
    const body = yaml ?? (json === undefined ? undefined : JSON.stringify(json))
    return testersSide(
      new Request(`${origin}${of === 'sandbox' ? links.api : '/_sim'}${path}`, {
        method,
        headers: {
          'content-type': yaml === undefined ? 'application/json' : 'application/yaml',
          ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }),
        },
        ...(body !== undefined && { body }),
      }),
    )
  }

  // The library of scenarios

  async function behaviors(
    { c, control, view }: PageRequest,
    typed: Fields = {},
    mistakes: readonly BehaviorMistake[] = [],
  ): Promise<Reply> {
    const examples = await library()
    const chosen = examples.find(({ file }) => file === c.req.query('file'))
    return {
      status: mistakes.length > 0 ? 400 : 200,
      page: (
        <BehaviorsPage
          view={view}
          behaviors={control.behaviors()}
          held={control.waiting()}
          library={examples}
          yaml={typeof typed.yaml === 'string' ? typed.yaml : (chosen?.yaml ?? FIRST_BEHAVIOR)}
          mistakes={mistakes}
        />
      ),
    }
  }

  /** The button of an example sends the name of its file instead of its text. */
  async function withExample(fields: Typed): Promise<Typed> {
    if (typeof fields.file !== 'string') return fields
    const example = (await library()).find(({ file }) => file === fields.file)
    return { ...fields, yaml: example?.yaml ?? '' }
  }
}

const timeOf = (control: SandboxControl): Pick<View, 'clock' | 'due'> => ({
  clock: control.clock.read(),
  due: control.browse.due(1).groups[0],
})

// Pages

async function overview({ control, view }: PageRequest): Promise<Reply> {
  const overview = await control.browse.overview()
  return {
    page: (
      <OverviewPage
        view={view}
        description={control.describe()}
        overview={overview}
        due={control.browse.due(DUE_GROUPS)}
        behaviors={control.behaviors()}
        requests={readRequests(control, {}, undefined, NOW_ROWS).requests}
      />
    ),
  }
}

function requests({ c, control, view }: PageRequest): Reply {
  const { cursor, ...query } = chosenOf(c, [...REQUEST_FILTERS.map(({ name }) => name), 'cursor'])
  const asked = { ...query, ...(query.since && { since: sinceOf(query.since, control) }) }
  // Typed by hand in the address or chosen in the form: the control judges them.
  const filter = asked as RequestFilter
  return {
    page: (
      <RequestsPage
        view={view}
        {...readRequests(control, filter, cursor, ROWS)}
        query={{ ...query, cursor }}
        found={control.browse.countRequests(filter)}
        asked={asked}
      />
    ),
  }
}

/** So many rows, newest first; polls are one row, so more requests are read, but not the whole journal. */
function readRequests(
  control: SandboxControl,
  filter: RequestFilter,
  cursor: string | undefined,
  rows: number,
): { requests: RequestSummary[]; next: string | undefined } {
  const requests: RequestSummary[] = []
  let next = cursor
  do {
    const found = control.requests({ ...filter, cursor: next, limit: rows + 1 }).reverse()
    requests.push(...found.slice(0, rows))
    next = found.length > rows ? requests.at(-1)?.id : undefined
  } while (next && requests.length < POLLS_READ_MOST && foldPolls(requests).length < rows)
  return { requests, next }
}

/** A page may say `5m`: since so long before now. */
function sinceOf(text: string, control: SandboxControl): string {
  const duration = Duration.safeParse(text)
  return duration.success ? new Date(Math.max(0, control.clock.now() - duration.data)).toISOString() : text
}

/** When that was: a request's arrival, or an instant as `sinceOf` has it. */
const instantOf = (text: string, control: SandboxControl): number =>
  idKindOf(text) === 'request'
    ? Date.parse(control.request(text).arrivedAt)
    : instant(sinceOf(text, control), 'since')

const findRequest = (c: Context, control: SandboxControl) => control.request(c.req.param('id') ?? '')

/** The gate at which a request waits now. */
const gateOf = (control: SandboxControl, id: string) =>
  control.waiting().find(({ request }) => request === id)?.gate

function request({ c, control, view }: PageRequest): Reply {
  const explained = findRequest(c, control)
  const { id, key, method, target } = explained
  const uses =
    key === null
      ? []
      : control.requests({ key }).filter((use) => use.method === method && use.target === target)
  const number = requestNumber(id)
  const neighbor = (other: number) =>
    control.requests({ cursor: requestId(other + 1), since: requestId(other - 1), limit: 1 })[0]?.id
  return {
    page: (
      <RequestPage
        view={view}
        request={explained}
        uses={uses}
        step={recordStep(explained)}
        gate={gateOf(control, id)}
        earlier={number > 1 ? neighbor(number - 1) : undefined}
        later={neighbor(number + 1)}
      />
    ),
  }
}

const changeRequest = (
  view: View,
  explained: RequestExplained,
  typed: Fields = {},
  mistake?: Mistake,
): Reply => ({
  status: mistake === undefined ? 200 : 400,
  page: <ChangeRequestPage view={view} request={explained} typed={typed} mistake={mistake} />,
})

function beside({ c, control, view }: PageRequest): Reply {
  const second = control.request(c.req.param('other') ?? '')
  return {
    page: (
      <BesidePage
        view={view}
        first={findRequest(c, control)}
        second={second}
        gate={gateOf(control, second.id)}
      />
    ),
  }
}

const recordChoice = (c: Context) => ({
  chosen: (c.req.queries('id') ?? []).filter((id) => !Number.isNaN(requestNumber(id))),
  minimal: c.req.query('minimal') !== undefined,
})

function timeline({ c, control, view }: PageRequest): Reply {
  const query = chosenOf(
    c,
    TIMELINE_FIELDS.map(({ name }) => name),
  )
  const { of, key, since, ...filter } = query
  const found = of ? timelineOf(control, of) : key ? timelineOfKey(control, key) : undefined
  const from = since === undefined ? undefined : instantOf(since, control)
  const moments = found && pickMoments(found.timeline.moments, { ...filter, since: from })
  return {
    page: (
      <TimelinePage
        view={view}
        query={query}
        timeline={found && moments && { ...found.timeline, moments }}
        cut={found?.cut ?? false}
        subjects={found ? [] : subjects(control)}
        keys={found ? [] : control.browse.keysUsedAgain()}
      />
    ),
  }
}

function resources({ c, control, view }: PageRequest): Reply {
  const what = c.req.param('what') ?? ''
  const kind = KINDS.find(({ page }) => page === what)
  if (kind) {
    const { cursor, ...filter } = chosenOf(c, Object.keys(c.req.query()))
    const { data, nextCursor } = listResources(control, kind.list, {
      ...filter,
      ...(cursor && { cursor }),
      limit: String(ROWS),
    })
    return {
      page: (
        <ListPage
          view={view}
          kind={kind}
          rows={data}
          query={{ ...filter, cursor }}
          nextCursor={nextCursor}
          found={control.browse.countListed(kind.list, filter)}
        />
      ),
    }
  }
  const found = control.resource(what)
  const events = eventsAbout(control, what).reverse()
  return {
    page: (
      <ResourcePage
        view={view}
        found={found}
        related={relatedLists(control, found)}
        events={events}
        deliveries={deliveriesOf(control, events)}
        requests={control.requests({ resource: what, limit: NOW_ROWS }).reverse()}
        messages={control.browse.messages({ where: { relatedId: what }, limit: NOW_ROWS }).data}
      />
    ),
  }
}

function events({ c, control, view }: PageRequest): Reply {
  const { cursor, type, delivery } = chosenOf(c, ['cursor', 'type', 'delivery'])
  const { data, ...part } = control.browse.events({ where: { type, delivery }, cursor, limit: ROWS })
  const shown = data as EventAboutResource[]
  return {
    page: (
      <EventsPage
        view={view}
        endpoint={control.webhook.get()}
        events={shown}
        deliveries={deliveriesOf(control, shown)}
        {...part}
        query={{ type, delivery, cursor }}
        failed={countFailed(control)}
      />
    ),
  }
}

function message({ c, control, view }: PageRequest): Reply {
  const found = control.browse.message(c.req.param('id') ?? '')
  if (!found) throw notFound('Message')
  const { data } = control.browse.messages({ where: { relatedId: found.relatedId }, limit: NOW_ROWS })
  return {
    page: <MessagePage view={view} message={found} others={data.filter(({ id }) => id !== found.id)} />,
  }
}

function outbox({ c, control, view }: PageRequest): Reply {
  const { cursor, template } = chosenOf(c, ['cursor', 'template'])
  const messages = control.browse.messages({ where: { template }, cursor, limit: ROWS })
  return { page: <OutboxPage view={view} messages={messages} query={{ template, cursor }} /> }
}

async function ledger({ c, control, view }: PageRequest): Promise<Reply> {
  const { cursor, kind } = chosenOf(c, ['cursor', 'kind'])
  const sums = await control.browse.sums()
  const movements = control.browse.movements({ where: { kind }, cursor, limit: ROWS })
  return {
    page: <LedgerPage view={view} sums={sums} movements={movements} query={{ kind, cursor }} />,
  }
}

function oneEvent({ c, control, view }: PageRequest): Reply {
  const body = control.read('events.get', { id: c.req.param('id') ?? '' })
  const event = JSON.parse(body) as EventAboutResource
  return {
    page: (
      <EventDetailPage
        view={view}
        event={event}
        body={body}
        deliveries={deliveriesOf(control, [event])}
        request={causeOf(control, event)}
      />
    ),
  }
}

/** A delivery is shown with its event. */
function delivery({ c, control, view }: PageRequest): Reply {
  const id = c.req.param('id') ?? ''
  const eventId = control.browse.eventOfDelivery(id)
  return { to: eventId ? `${view.links.event(eventId)}#${id}` : view.links.page('events') }
}

const contractUnder = (control: SandboxControl) => contractOf(control.describe().profile ?? undefined)

/** A whole id leads to its page and a key to its timeline; otherwise all that has the text is listed, or shown if it is one thing. */
function find({ c, control, view }: PageRequest): Reply {
  const term = (c.req.query('q') ?? '').trim()
  const { links } = view
  if (term === '') return { to: links.base }
  if (isThere(control, term)) return { to: links.any(term) }
  if (control.requests({ key: term, limit: 1 }).length > 0)
    return { to: links.page('timeline', { key: term }) }
  const found = control.browse.find(term)
  const [only, ...others] = found.rows.flatMap(({ data }) => data)
  if (only && others.length === 0) return { to: foundAddress(links, only) }
  if (only || found.requests.data.length > 0)
    return { page: <FoundPage view={view} term={term} found={found} /> }
  return { page: <NothingFoundPage view={view} term={term} />, status: 404 }
}

/** Whether a text is the whole id of something that has a page. */
function isThere(control: SandboxControl, id: string): boolean {
  const kind = contractUnder(control).kindOf(id)
  if (kind === undefined) return false
  const read = {
    request: () => control.request(id),
    event: () => control.read('events.get', { id }),
  }[kind as string]
  try {
    ;(read ?? (() => control.resource(id)))()
    return true
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return false
    throw cause
  }
}

// Forms

type Typed = Record<string, string | string[]>

async function fieldsOf(c: Context): Promise<Typed> {
  if (!c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded')) return {}
  const typed = await c.req.parseBody({ all: true })
  return Object.fromEntries(
    Object.entries(typed).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value).replaceAll('\r\n', '\n'),
    ]),
  )
}

async function mistakesIn(yaml: string): Promise<readonly BehaviorMistake[]> {
  const { parseScenario, ScenarioError } = await import('../scenario-file/read.ts')
  try {
    parseScenario(yaml)
    return []
  } catch (cause) {
    if (cause instanceof ScenarioError) return cause.problems
    throw cause
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}

// Where requests come from and lead to

const unknown = (c: Context) => {
  const page = (
    <PlainPage title="Page not found">
      <p>The link is wrong, or what it led to was removed.</p>
    </PlainPage>
  )
  return c.body(renderPage(page), 404, HEADERS)
}

/** An embedded simulator has no socket, and one caller. */
const addressOf = (c: Context): string =>
  (c.env as { incoming?: { socket: { remoteAddress?: string } } }).incoming?.socket.remoteAddress ??
  'embedded'

/** A cookie is sent to every port of a host, and two simulators on one machine must not log each other out. */
const cookieName = (c: Context) => `paysim_dashboard_${new URL(c.req.url).port || 'web'}`

const pathOf = (c: Context) => c.req.path + new URL(c.req.url).search

/** A form may lead back to pages of the dashboard only, never to another site. */
const backOf = (back: unknown) =>
  typeof back === 'string' && /^\/_sim\/ui(?:[/?#]|$)/.test(back) ? back : UI

/** The parameters that are not empty: a form sends empty fields too. */
const chosenOf = <Name extends string>(
  c: Context,
  names: readonly Name[],
): Partial<Record<Name, string>> & Record<string, string> => {
  const chosen = names.flatMap((name) => {
    const value = c.req.query(name)
    return value ? [[name, value] as const] : []
  })
  return Object.fromEntries(chosen) as Partial<Record<Name, string>> & Record<string, string>
}
