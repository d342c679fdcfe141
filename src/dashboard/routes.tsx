/**
 * The dashboard over HTTP. A page shows what the tester's object answers. A form is sent on as a request below `/_sim`, and
 * the browser is redirected to a page with a sentence about the result.
 */

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError, bodyTooLarge, invalidOption } from '../contract/errors.ts'
import { requirePlainBody } from '../contract/plain-body.ts'
import type { SandboxControl, Sandboxes } from '../control/control.ts'
import { requireTester } from '../control/guard.ts'
import { recordPlayed } from '../control/record.ts'
import { inTurns } from '../control/turns.ts'
import { type Environment, placeOf } from '../environments/environment.ts'
import { operationsUnder } from '../operations/table.ts'
import { WrongOption } from '../options/read.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { assetHeaders } from '../pages/assets.ts'
import type { ShadowList } from '../shadow/shadow-list.ts'
import { ACTIONS, type ControlRequest, type DashboardAction, type Fields, isAction } from './actions.ts'
import { besideAddress } from './again.tsx'
import { findDashboardAsset } from './assets.ts'
import { type BehaviorMistake, BehaviorsPage, FIRST_BEHAVIOR } from './behaviors.tsx'
import { BrowserSessions, type FormFields } from './browser-sessions.tsx'
import { ComparePage } from './compare.tsx'
import { compareSandboxes } from './compare-sandboxes.ts'
import { ConductPage } from './conduct.tsx'
import {
  besideReply,
  changedRequestReply,
  findRequest,
  recordChoice,
  requestReply,
  requestsReply,
  timelineReply,
} from './journal-replies.tsx'
import { openLibrary } from './library.ts'
import { linksOf, UI } from './links.ts'
import { live } from './live.tsx'
import { BY_SCRIPT } from './live-events.ts'
import { PlainPage } from './log-in.tsx'
import { comparedSandbox, resourcesByKind } from './page-data.ts'
import {
  contractUnder,
  HEADERS,
  inPath,
  type PageRequest,
  pathOf,
  type Reply,
  ROWS_SHOWN,
  sendPage,
} from './page-request.ts'
import { RecordPage } from './record-page.tsx'
import { ReferencePage } from './reference.tsx'
import {
  deliveryReply,
  eventReply,
  eventsReply,
  ledgerReply,
  messageReply,
  outboxReply,
  overviewReply,
  resourcesReply,
} from './replies.tsx'
import { KindsPage } from './resources.tsx'
import { SandboxesPage } from './sandboxes.tsx'
import { searchReply } from './search.tsx'
import { repetitionOf, sendAgain, whyNotAgain } from './send-again.ts'
import { BothAnswersPage, RealServicePage } from './shadow-exchanges.tsx'
import type { DashboardPage, View } from './view.ts'

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
/** The menu has the latest; the page has more. */
const SANDBOXES_TO_SWITCH_TO = 50

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
  const sessions = new BrowserSessions(adminToken, publicUrl)
  const library = openLibrary(scenarios)

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
    return asset ? c.body(asset.body, 200, { ...assetHeaders, 'Content-Type': asset.type }) : unknownPage(c)
  })
  app.get(`${UI}/log-in`, (c) => sessions.askForToken(c))
  app.post(`${UI}/log-in`, (c) => sessions.logIn(c))

  on('GET', '', '', overviewReply)
  on('GET', '/live', '', ({ c, control }) =>
    live(c, {
      control,
      state: () => stateOf(control),
      shown: c.req.header('last-event-id') ?? c.req.query('shown'),
      closing,
      isThere: () => isStillThere(control),
    }),
  )
  on('GET', '/requests', 'requests', requestsReply)
  on('GET', '/requests/:id', 'requests', requestReply)
  on('GET', '/requests/:id/again', 'requests', ({ c, control, view }) =>
    changedRequestReply(view, findRequest(c, control)),
  )
  on('POST', '/requests/:id/again', 'requests', again)
  on('GET', '/requests/:id/beside/:other', 'requests', besideReply)
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
  on('GET', '/timeline', 'timeline', timelineReply)
  on('GET', '/resources', 'resources', async ({ control, view }) => ({
    page: <KindsPage view={view} overview={await control.browse.overview()} />,
  }))
  on('GET', '/resources/:what', 'resources', resourcesReply)
  on('GET', '/ledger', 'ledger', ledgerReply)
  on('GET', '/conduct', 'conduct', async ({ control, view }) => ({
    page: <ConductPage view={view} conduct={await control.browse.conduct()} />,
  }))
  on('GET', '/real-service', 'real-service', ({ c, view }) =>
    shadow && view.hasRealService ? { page: <RealServicePage view={view} list={shadow} /> } : unknownPage(c),
  )
  on('GET', '/real-service/:number', 'real-service', ({ c, view }) => {
    const exchange = view.hasRealService ? shadow?.find(Number(c.req.param('number'))) : undefined
    if (!shadow || !exchange) return unknownPage(c)
    return { page: <BothAnswersPage view={view} list={shadow} exchange={exchange} /> }
  })
  on('GET', '/outbox', 'outbox', outboxReply)
  on('GET', '/outbox/:id', 'outbox', messageReply)
  on('GET', '/events', 'events', eventsReply)
  on('GET', '/events/:id', 'events', eventReply)
  on('GET', '/deliveries/:id', 'events', deliveryReply)
  on('GET', '/behaviors', 'behaviors', (request) => behaviors(request))
  on('GET', '/sandboxes', 'sandboxes', ({ control, view }) => ({
    page: (
      <SandboxesPage
        view={view}
        description={control.describe()}
        snapshots={control.snapshots.list()}
        all={sandboxes.list({ limit: ROWS_SHOWN }).data}
        count={sandboxes.sandboxes().length}
      />
    ),
  }))
  on('GET', '/compare', 'sandboxes', compare)
  on('GET', '/snapshots/:name', 'sandboxes', ({ c, control }) => {
    const parts = control.readSnapshot(inPath(c, 'name'))
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
  on('GET', '/find', 'find', searchReply)
  on('POST', '/do/:action', '', act)

  app.notFound(unknownPage)
  app.onError((cause, c) => {
    if (cause instanceof ApiError) return refused(c, cause)
    if (cause instanceof WrongOption) return refused(c, invalidOption(cause.message.replace(/\.$/, '')))
    bug(cause, c.req.raw.signal)
    return sendPage(
      c,
      sentencePage('Something went wrong on our side', 'This is a bug of paysim. Its log has the details.'),
      500,
    )
  })
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }

  // The sandbox and the session of a request

  /** A page of the sandbox `default`, and of any other below its name. */
  function on(
    method: 'GET' | 'POST',
    path: string,
    here: DashboardPage,
    reply: (request: PageRequest) => Reply | Promise<Reply>,
  ) {
    app.on(method, [`${UI}${path}`, `${UI}/sandboxes/:sandbox${path}`], async (c) => {
      const session = await sessions.of(c)
      if (session === undefined) return c.redirect(`${UI}/log-in?back=${encodeURIComponent(pathOf(c))}`, 303)
      const control = sandboxes.find(c.req.param('sandbox') ?? DEFAULT_SANDBOX)
      const replied = await reply({ c, control, view: viewOf(c, control, session, here) })
      if (replied instanceof Response) return replied
      if ('to' in replied) return c.body(null, 303, { ...HEADERS, Location: replied.to })
      return sendPage(c, replied.page, replied.status)
    })
  }

  function viewOf(c: Context, control: SandboxControl, session: string, here: DashboardPage): View {
    const isPage = c.req.method === 'GET' && !c.req.path.endsWith('/live') && !c.req.header(BY_SCRIPT)
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
      notice: isPage ? sessions.takeNotice(session) : undefined,
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

  /** It was not removed, nor removed and made anew. */
  function isStillThere(control: SandboxControl): boolean {
    try {
      return sandboxes.find(control.name) === control
    } catch {
      return false
    }
  }

  // Pages of more than one sandbox, and forms

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
    const name = inPath(c, 'action')
    if (!isAction(name)) return unknownPage(c)
    const form = await sessions.formOf(c)
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
      sessions.keepNotice(session, { tone: 'bad', text: `${message}.` })
      return { to: back }
    }
    const notice = action.notice(answer as never, sent)
    sessions.keepNotice(session, typeof notice === 'string' ? { tone: 'good', text: notice } : notice)
    return { to: action.leadsTo?.(answer as never, sent, view.links) ?? back }
  }

  /** Sends a request of the journal again, as it was or as the form has it, and leads to both answers. */
  async function again({ c, control, view }: PageRequest): Promise<Reply> {
    const request = findRequest(c, control)
    const form = await sessions.formOf(c)
    if ('to' in form) return form
    const { session, fields } = form
    const why = whyNotAgain(request)
    const repetition = why === undefined ? repetitionOf(request, fields) : { problem: why.replace(/\.$/, '') }
    if ('problem' in repetition) return changedRequestReply(view, request, fields, repetition)
    const { origin } = new URL(view.base)
    const side = (sent: Request) => platformSide(view.environment, sent)
    const id = await sendAgain(control, side, origin, repetition.request)
    if (id !== undefined) return { to: besideAddress(view, request.id, id) }
    sessions.keepNotice(session, {
      tone: 'plain',
      text: 'It was sent, but the journal does not have it any more.',
    })
    return { to: view.links.page('requests') }
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
  async function withExample(fields: FormFields): Promise<FormFields> {
    if (typeof fields.file !== 'string') return fields
    const example = (await library()).find(({ file }) => file === fields.file)
    return { ...fields, yaml: example?.yaml ?? '' }
  }
}

const timeOf = (control: SandboxControl): Pick<View, 'clock' | 'due'> => ({
  clock: control.clock.read(),
  due: control.browse.due(1).groups[0],
})

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

/** A page that is one sentence. */
const sentencePage = (title: string, sentence: string) => (
  <PlainPage title={title}>
    <p>{sentence}</p>
  </PlainPage>
)

const refused = (c: Context, { status, message, headers }: ApiError) =>
  sendPage(
    c,
    sentencePage(status === 404 ? 'Not found' : 'Request refused', `${message}.`),
    status as ContentfulStatusCode,
    headers,
  )

const unknownPage = (c: Context) =>
  sendPage(c, sentencePage('Page not found', 'The link is wrong, or what it led to was removed.'), 404)
