/**
 * The dashboard over HTTP. A page is gathered from the tester's object and drawn; a form becomes a request of the
 * tester's side and leads back with what came of it.
 */

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError } from '../contract/errors.ts'
import { requestId, requestNumber } from '../contract/ids.ts'
import type { Sandboxes } from '../control/control.ts'
import { requireTester } from '../control/guard.ts'
import type { Inspector } from '../control/inspector.ts'
import { recordSession } from '../control/record.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { assetHeaders } from '../pages/assets.ts'
import { pageHeaders, renderPage } from '../pages/frame.tsx'
import { recordStep } from '../recorder/record-scenario.ts'
import { ACTIONS, type ControlRequest, type DashboardAction, type Fields, isAction } from './actions.ts'
import { findAsset } from './assets.ts'
import { type BehaviorMistake, BehaviorsPage, FIRST_BEHAVIOR } from './behaviors.tsx'
import type { TesterEvent } from './build-timeline.ts'
import { EventPage, EventsPage } from './events.tsx'
import { FoundPage } from './found-page.tsx'
import {
  belongings,
  causeOf,
  deliveriesOf,
  eventsAbout,
  list,
  type Near,
  subjects,
  timelineOf,
  timelineOfKey,
  usedKeys,
} from './gather.ts'
import { KINDS } from './kinds.ts'
import { LedgerPage } from './ledger.tsx'
import { openLibrary } from './library.ts'
import { linksOf, UI } from './links.ts'
import { live } from './live.tsx'
import { DashboardLogInPage, PlainPage } from './log-in.tsx'
import { NowPage } from './now.tsx'
import { OutboxPage } from './outbox.tsx'
import { RecordPage } from './record-page.tsx'
import { ReferencePage } from './reference.tsx'
import { RequestPage } from './request.tsx'
import { type RequestQuery, RequestsPage } from './requests.tsx'
import { KindsPage, ListPage, ResourcePage } from './resources.tsx'
import { SandboxesPage } from './sandboxes.tsx'
import { createSessions, isSame } from './session.ts'
import { TimelinePage } from './timeline-page.tsx'
import type { DashboardPlace, Notice, View } from './view.ts'

export interface DashboardParts {
  sandboxes: Sandboxes
  /** What the object does not show. */
  inspect(sandbox: string): Inspector
  /** The folder of the scenarios that come with the program. */
  scenarios: URL
  adminToken: string | undefined
  publicUrl: string | undefined
  /** The tester's side, which does what a form asks for. */
  steer(request: Request): Response | Promise<Response>
  /** Aborted when the simulator closes: a stream would keep it open. */
  closing: AbortSignal
  bug(cause: unknown): void
}

const FORM_MAX_BYTES = 512 * 1024
const ROWS = 50
const NOW_ROWS = 20
const NOTICES_MAX = 1000
/** Whoever logs in has no session yet. */
const LOG_IN = 'log in'

/** Scripts and what they ask for come from here, like everything else. */
const HEADERS = pageHeaders([], ["script-src 'self'", "connect-src 'self'"])

/** What a page is drawn from, once it is clear who asks and about which sandbox. */
interface Visit extends Near {
  c: Context
  view: View
}

/** A page, or where else to go. */
type Reply = { page: unknown; status?: ContentfulStatusCode } | { to: string } | Response

export function dashboard({
  sandboxes,
  inspect,
  scenarios,
  adminToken,
  publicUrl,
  steer,
  closing,
  bug,
}: DashboardParts) {
  const app = new Hono({ strict: false })
  const sessions = createSessions()
  const library = openLibrary(scenarios)
  /** What came of the last action of a session, until it is shown. */
  const notices = new Map<string, Notice>()

  app.use(async (c, next) => {
    requireTester((name) => c.req.header(name), c.req.url, { adminToken: undefined, publicUrl })
    return next()
  })
  app.use(bodyLimit({ maxSize: FORM_MAX_BYTES }))
  app.get('/', (c) => c.redirect(UI))
  app.get(`${UI}/assets/:file`, (c) => {
    const asset = findAsset(c.req.path)
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknown(c)
  })
  app.get(`${UI}/log-in`, (c) =>
    adminToken === undefined ? c.redirect(UI) : askForToken(c, backOf(c.req.query('back'))),
  )
  app.post(`${UI}/log-in`, logIn)

  on('GET', '', '', now)
  on('GET', '/live', '', ({ c, control, inspect: seen, view }) => {
    const near = { control, inspect: seen }
    const isThere = () => sandboxes.sandboxes().includes(control)
    const viewNow = () => ({ ...view, ...timeOf(near) })
    return live(c, {
      ...near,
      view: viewNow,
      after: c.req.header('last-event-id') ?? c.req.query('after'),
      closing,
      isThere,
    })
  })
  on('GET', '/requests', 'requests', requests)
  on('GET', '/requests/:id', 'requests', request)
  on('GET', '/record', 'requests', recorded)
  on('GET', '/record/file', 'requests', recordedFile)
  on('GET', '/timeline', 'timeline', timeline)
  on('GET', '/resources', 'resources', ({ inspect: seen, view }) => ({
    page: <KindsPage view={view} overview={seen.overview()} />,
  }))
  on('GET', '/resources/:what', 'resources', resources)
  on('GET', '/ledger', 'ledger', ({ control, view }) => ({
    page: <LedgerPage view={view} ledger={control.ledger()} />,
  }))
  on('GET', '/outbox', 'outbox', ({ control, view }) => ({
    page: <OutboxPage view={view} messages={control.outbox().reverse()} />,
  }))
  on('GET', '/events', 'events', events)
  on('GET', '/events/:id', 'events', event)
  on('GET', '/deliveries/:id', 'events', delivery)
  on('GET', '/behaviors', 'behaviors', (visit) => behaviors(visit))
  on('GET', '/sandboxes', 'sandboxes', ({ control, view }) => ({
    page: (
      <SandboxesPage
        view={view}
        description={control.describe()}
        snapshots={control.snapshots.list()}
        all={sandboxes.sandboxes().map((sandbox) => sandbox.describe())}
      />
    ),
  }))
  on('GET', '/snapshots/:name', 'sandboxes', ({ c, control }) => {
    const bytes = control.snapshots.get(c.req.param('name') ?? '')
    return c.body(bytes.slice().buffer, 200, { ...HEADERS, 'Content-Type': 'application/vnd.sqlite3' })
  })
  on('GET', '/reference', 'reference', ({ control, view }) => ({
    page: <ReferencePage view={view} magic={control.magic()} decisions={control.decisions()} />,
  }))
  on('GET', '/find', '', find)
  on('POST', '/do/:deed', '', act)

  app.notFound(unknown)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return refused(c, cause)
    bug(cause)
    const page = (
      <PlainPage title="Something went wrong on our side">
        <p>It is a bug, and the log says where.</p>
      </PlainPage>
    )
    return c.body(renderPage(page), 500, HEADERS)
  })
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }

  // Who asks, and about what

  function on(
    method: 'GET' | 'POST',
    path: string,
    here: DashboardPlace,
    reply: (visit: Visit) => Reply | Promise<Reply>,
  ) {
    const paths = [`${UI}${path}`, ...(path === '/sandboxes' ? [] : [`${UI}/sandboxes/:sandbox${path}`])]
    app.on(
      method,
      [...paths, ...(path === '/sandboxes' ? [`${UI}/sandboxes/:sandbox/sandboxes`] : [])],
      async (c) => {
        const known = sessions.open(getCookie(c, cookieName(c)))
        if (known === undefined && adminToken !== undefined) {
          return c.redirect(`${UI}/log-in?back=${encodeURIComponent(pathOf(c))}`, 303)
        }
        const session = known ?? beginSession(c)
        const control = sandboxes.find(c.req.param('sandbox') ?? DEFAULT_SANDBOX)
        const near = { control, inspect: inspect(control.name) }
        const replied = await reply({ ...near, c, view: viewOf(c, near, session, here) })
        if (replied instanceof Response) return replied
        if ('to' in replied) return c.body(null, 303, { ...HEADERS, Location: replied.to })
        return c.body(renderPage(replied.page as string), replied.status ?? 200, HEADERS)
      },
    )
  }

  function viewOf(c: Context, near: Near, session: string, here: DashboardPlace): View {
    const { control } = near
    const isPage = c.req.method === 'GET' && !c.req.path.endsWith('/live')
    const notice = isPage ? notices.get(session) : undefined
    if (notice) notices.delete(session)
    return {
      sandbox: control.name,
      sandboxes: sandboxes.sandboxes().map(({ name }) => name),
      links: linksOf(control.name),
      origin: publicUrl ?? new URL(c.req.url).origin,
      guarded: adminToken !== undefined,
      token: sessions.formToken(session),
      here,
      path: pathOf(c),
      notice,
      armed: control.behaviors().length,
      ...timeOf(near),
    }
  }

  function beginSession(c: Context): string {
    const session = sessions.begin()
    setCookie(c, cookieName(c), sessions.seal(session), {
      path: UI,
      httpOnly: true,
      sameSite: 'Lax',
      secure: new URL(publicUrl ?? c.req.url).protocol === 'https:',
    })
    return session
  }

  function askForToken(c: Context, back: string, problem?: string) {
    const page = <DashboardLogInPage token={sessions.formToken(LOG_IN)} back={back} problem={problem} />
    return c.body(renderPage(page), problem === undefined ? 200 : 401, HEADERS)
  }

  async function logIn(c: Context) {
    const { adminToken: typed, token, back } = await fieldsOf(c)
    if (!sessions.isFormToken(String(token), LOG_IN))
      return askForToken(c, backOf(back), 'This page was open for too long. Type it again.')
    if (!isSame(String(typed), adminToken ?? ''))
      return askForToken(c, backOf(back), 'This is not the admin token.')
    beginSession(c)
    return c.redirect(backOf(back), 303)
  }

  function refused(c: Context, { status, message }: ApiError) {
    const page = (
      <PlainPage title={status === 404 ? 'There is no such thing here' : 'This is refused'}>
        <p>{message}.</p>
      </PlainPage>
    )
    return c.body(renderPage(page), status as ContentfulStatusCode, HEADERS)
  }

  // Steering

  async function act({ c, view, ...near }: Visit): Promise<Reply> {
    const session = sessions.open(getCookie(c, cookieName(c)))
    const { token, back, ...fields } = await fieldsOf(c)
    const name = c.req.param('deed') ?? ''
    if (!isAction(name)) return unknown(c)
    if (session === undefined || !sessions.isFormToken(String(token), session)) {
      const text = 'The page was open for too long, so nothing was done. Try again.'
      if (session !== undefined) keepNotice(session, { tone: 'bad', text })
      return { to: backOf(back) }
    }
    const told = await withLesson(fields)
    const mistakes = name === 'arm' ? await mistakesIn(String(told.yaml ?? '')) : []
    if (mistakes.length > 0)
      return behaviors({ ...near, c, view: { ...view, here: 'behaviors' } }, told, mistakes)

    const deed: DashboardAction = ACTIONS[name]
    const answer = await ask(view, deed.request(told))
    const said = await answerOf(answer)
    if (!answer.ok) {
      keepNotice(session, {
        tone: 'bad',
        text: `${(said as { message?: string }).message ?? answer.status}.`,
      })
      return { to: backOf(back) }
    }
    const notice = deed.notice(said as never, told)
    keepNotice(session, typeof notice === 'string' ? { tone: 'good', text: notice } : notice)
    return { to: deed.leadsTo?.(said as never, told, view.links) ?? backOf(back) }
  }

  function keepNotice(session: string, notice: Notice): void {
    if (notices.size >= NOTICES_MAX) notices.clear()
    notices.set(session, notice)
  }

  function ask({ links, origin }: View, { method, path, of = 'sandbox', body: json, yaml }: ControlRequest) {
    const body = yaml ?? (json === undefined ? undefined : JSON.stringify(json))
    return steer(
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

  // Scenarios of the library

  async function behaviors(
    { c, control, inspect, view }: Visit,
    typed: Fields = {},
    mistakes: readonly BehaviorMistake[] = [],
  ): Promise<Reply> {
    const lessons = await library()
    const chosen = lessons.find(({ file }) => file === c.req.query('file'))
    return {
      status: mistakes.length > 0 ? 400 : 200,
      page: (
        <BehaviorsPage
          view={view}
          behaviors={control.behaviors()}
          held={inspect.standing()}
          library={lessons}
          yaml={typeof typed.yaml === 'string' ? typed.yaml : (chosen?.yaml ?? FIRST_BEHAVIOR)}
          mistakes={mistakes}
        />
      ),
    }
  }

  /** A scenario of the library is named by its file. */
  async function withLesson(
    fields: Record<string, string | string[]>,
  ): Promise<Record<string, string | string[]>> {
    if (typeof fields.file !== 'string') return fields
    const lesson = (await library()).find(({ file }) => file === fields.file)
    return { ...fields, yaml: lesson?.yaml ?? '' }
  }
}

const timeOf = ({ control, inspect }: Near): Pick<View, 'clock' | 'due'> => ({
  clock: control.clock.read(),
  due: inspect.due(1)[0],
})

// Pages

function now({ control, inspect, view }: Visit): Reply {
  return {
    page: (
      <NowPage
        view={view}
        description={control.describe()}
        overview={inspect.overview()}
        behaviors={control.behaviors()}
        requests={control.requests({ limit: NOW_ROWS }).reverse()}
      />
    ),
  }
}

function requests({ c, control, view }: Visit): Reply {
  const query: RequestQuery = chosenOf(c, ['op', 'status', 'key', 'resource', 'cursor'])
  const found = control.requests({ ...query, limit: ROWS + 1 })
  const shown = found.slice(-ROWS).reverse()
  const next = found.length > ROWS ? shown.at(-1)?.id : undefined
  return { page: <RequestsPage view={view} requests={shown} query={query} next={next} /> }
}

function request({ c, control, view }: Visit): Reply {
  const explained = control.request(c.req.param('id') ?? '')
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
        earlier={number > 1 ? neighbor(number - 1) : undefined}
        later={neighbor(number + 1)}
      />
    ),
  }
}

async function recorded({ c, control, view }: Visit): Promise<Reply> {
  const ids = chosenRequests(c)
  const recording = ids.length > 0 ? await recordSession(control, ids) : undefined
  return { page: <RecordPage view={view} ids={ids} recording={recording} /> }
}

async function recordedFile({ c, control }: Visit): Promise<Reply> {
  const { yaml } = await recordSession(control, chosenRequests(c))
  return c.body(yaml, 200, {
    ...HEADERS,
    'Content-Type': 'application/yaml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="session.yaml"',
  })
}

const chosenRequests = (c: Context): string[] =>
  (c.req.queries('id') ?? []).filter((id) => !Number.isNaN(requestNumber(id)))

function timeline({ c, view, ...near }: Visit): Reply {
  const { of, key } = chosenOf(c, ['of', 'key'])
  const told = of ? timelineOf(near, of) : key ? timelineOfKey(near, key) : undefined
  return {
    page: (
      <TimelinePage
        view={view}
        of={of}
        ofKey={of ? undefined : key}
        story={told?.story}
        cut={told?.cut ?? false}
        subjects={told ? [] : subjects(near)}
        keys={told ? [] : usedKeys(near)}
      />
    ),
  }
}

function resources({ c, view, ...near }: Visit): Reply {
  const { control, inspect } = near
  const what = c.req.param('what') ?? ''
  const kind = KINDS.find(({ page }) => page === what)
  if (kind) {
    const query = chosenOf(c, Object.keys(c.req.query()))
    const { data, nextCursor } = list(near, kind.list, { query: { ...query, limit: String(ROWS) } })
    return { page: <ListPage view={view} kind={kind} rows={data} query={query} nextCursor={nextCursor} /> }
  }
  const found = inspect.resource(what)
  const told = eventsAbout(near, what).reverse()
  return {
    page: (
      <ResourcePage
        view={view}
        found={found}
        belongings={belongings(near, found)}
        events={told}
        deliveries={deliveriesOf(near, told)}
        requests={control.requests({ resource: what, limit: NOW_ROWS }).reverse()}
        messages={control
          .outbox()
          .filter(({ relatedId }) => relatedId === what)
          .reverse()}
      />
    ),
  }
}

function events({ c, view, ...near }: Visit): Reply {
  const { control } = near
  const { cursor } = chosenOf(c, ['cursor'])
  const found = control.events({ limit: ROWS + 1, cursor }) as TesterEvent[]
  const shown = found.slice(-ROWS).reverse()
  return {
    page: (
      <EventsPage
        view={view}
        endpoint={control.webhook.get()}
        events={shown}
        deliveries={deliveriesOf(near, shown)}
        next={found.length > ROWS ? shown.at(-1)?.id : undefined}
      />
    ),
  }
}

function event({ c, view, ...near }: Visit): Reply {
  const body = near.inspect.read('events.get', { params: { id: c.req.param('id') ?? '' } })
  const told = JSON.parse(body) as TesterEvent
  return {
    page: (
      <EventPage
        view={view}
        event={told}
        body={body}
        deliveries={deliveriesOf(near, [told])}
        request={causeOf(near, told)}
      />
    ),
  }
}

/** A delivery is shown with its event. */
function delivery({ c, control, view }: Visit): Reply {
  const id = c.req.param('id') ?? ''
  const found = control.deliveries().find((one) => one.id === id)
  return { to: found ? `${view.links.event(found.eventId)}#${id}` : view.links.page('events') }
}

/** An id leads to what it names; a key to its requests; an order or a business to its checkouts. */
function find({ c, view, ...near }: Visit): Reply {
  const { control } = near
  const asked = (c.req.query('q') ?? '').trim()
  const { links } = view
  if (/^(req|chk|auth|ref|cus|pm|evt|dlv)_\w+$/.test(asked)) return { to: links.any(asked) }
  if (control.requests({ key: asked, limit: 1 }).length > 0)
    return { to: links.page('timeline', { key: asked }) }
  for (const filter of ['orderId', 'externalId']) {
    const query = { [filter]: asked, limit: '2' }
    const [first, second] = list(near, 'checkouts.list', { query }).data
    if (first && !second) return { to: links.resource(first.id) }
    if (first) return { to: links.page('resources/checkouts', { [filter]: asked }) }
  }
  return { page: <FoundPage view={view} asked={asked} />, status: 404 }
}

// Forms

async function fieldsOf(c: Context): Promise<Record<string, string | string[]>> {
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

async function answerOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  return text === '' ? {} : JSON.parse(text)
}

// Addresses

const unknown = (c: Context) => {
  const page = (
    <PlainPage title="There is no such page">
      <p>Whoever led here was mistaken, or what was here is gone.</p>
    </PlainPage>
  )
  return c.body(renderPage(page), 404, HEADERS)
}

/** Cookies do not know ports, and two simulators on one machine must not log each other out. */
const cookieName = (c: Context) => `paysim_dashboard_${new URL(c.req.url).port || 'web'}`

const pathOf = (c: Context) => c.req.path + new URL(c.req.url).search

/** Only to a page of ours. */
const backOf = (back: unknown) =>
  typeof back === 'string' && /^\/_sim\/ui(?:[/?#]|$)/.test(back) ? back : UI

/** What was left empty was not asked for. */
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
