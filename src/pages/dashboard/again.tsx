/** Sending a request again: the buttons on its page, the form to change it first, and both answers beside each other. */
import type { Context } from 'hono'
import { headersUnder } from '../../spec/contract/answer-headers.ts'
import { counted } from '../../spec/contract/counted.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { invalidParameter } from '../../spec/contract/errors.ts'
import type { Profile } from '../../spec/contract/profile.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { Notice } from '../blocks.tsx'
import { ErrorSummary } from '../form.tsx'
import { Icon } from '../icons.tsx'
import type { Fields } from './actions.ts'
import { Action, Code, Hidden, Knob, Section, StatusBadge } from './blocks.tsx'
import { LabeledField } from './fields.tsx'
import { DashboardFrame } from './frame.tsx'
import { laidOutText } from './json-text.tsx'
import { inPath, type PageRequest, type PageRoute, pageRoute, type Reply, routeTo } from './page-request.ts'
import {
  headerLines,
  type KeyChoice,
  type Mistake,
  ownHeaders,
  repeats,
  repetitionOf,
  sendAgain,
  whyNotAgain,
} from './send-again.ts'
import { countOf, type MarkedLine, type MarkedTexts, markLines } from './side-by-side.ts'
import { ToldNotices, toldOfRequests } from './told.tsx'
import { contractUnder, type View } from './view.ts'

export const findRequest = (c: Context, control: SandboxControl) => control.request(inPath(c, 'id'))

/** The gate at which a request waits now. */
export const gateOf = (control: SandboxControl, id: string) =>
  control.held().find(({ request }) => request === id)?.gate

const addressOf = (view: View, id: string) => `${view.links.any(id)}/again`

const OfRequest = ({ view: { links }, id }: { view: View; id: string }) => (
  <>
    <a href={links.page('requests')}>Requests</a> / <a href={links.any(id)}>{id}</a>
  </>
)

/** Sends it at once, or leads to the form. */
export function SendAgainButtons({ view, request }: { view: View; request: RequestExplained }) {
  const why = whyNotAgain(request)
  if (why !== undefined) return <p class="soft">{why}</p>
  const first = repeats(request)
  const choices: readonly KeyChoice[] = request.key === null ? ['same'] : ['same', 'new']
  return (
    <>
      <form class="wrap" method="post" action={addressOf(view, request.id)}>
        <Hidden view={view} />
        {choices.map((choice) => (
          <button class="knob" type="submit" name="key" value={choice}>
            <Icon name="play" size={16} />
            Send again{request.key !== null && `, ${choice} key`}
          </button>
        ))}
        <Knob to={addressOf(view, request.id)}>Change and send</Knob>
      </form>
      {first !== undefined && (
        <p>
          It repeats <a href={view.links.any(first)}>{first}</a>:{' '}
          <a href={view.links.beside(first, request.id)}>both beside each other</a>.
        </p>
      )}
    </>
  )
}

/** Where it waits, and the button that lets it go on. */
export function GateSection({ view, gate }: { view: View; gate: string }) {
  return (
    <Section title={`It waits at the gate ${gate}`}>
      <p class="soft">It goes on when the gate is opened, with every other request that waits there.</p>
      <Action
        view={view}
        action="release"
        fields={{ name: gate }}
        label="Open the gate"
        about={gate}
        icon="play"
        look="main"
      />
    </Section>
  )
}

// The form

/** What was typed, where it is shown again with a mistake. */
interface Typed {
  typed: Fields
  mistake: Mistake | undefined
}

const LABELS = { target: 'Path', headers: 'Headers, one in each line' }

const KEYS: Readonly<Record<KeyChoice, (key: string | undefined) => string>> = {
  same: (key) => (key === undefined ? 'none, as it was' : `the same: ${key}`),
  new: () => 'a new one',
  none: () => 'none',
}

export const changePage = pageRoute({
  path: '/requests/:id/again',
  load: ({ c, control }, { typed, mistake }: Typed = { typed: {}, mistake: undefined }) => ({
    request: findRequest(c, control),
    typed,
    mistake,
    status: mistake ? 400 : 200,
  }),
  view: ChangePage,
})

/** Sends a request of the journal again, as it was or as the form has it, and leads to both answers. */
async function send(request: PageRequest): Promise<Reply> {
  const { c, control, view, dashboard } = request
  const { sessions, platformSide } = dashboard
  const form = await sessions.formOf(c)
  if ('to' in form) return form
  const { session, fields } = form
  const found = findRequest(c, control)
  const why = whyNotAgain(found)
  const repetition = why === undefined ? repetitionOf(found, fields) : { problem: why.replace(/\.$/, '') }
  if ('problem' in repetition) return changePage.reply(request, { typed: fields, mistake: repetition })
  const { origin } = new URL(view.base)
  const side = (sent: Request) => platformSide(view.environment, sent)
  const id = await sendAgain(control, side, origin, repetition.request)
  if (id !== undefined) return { to: view.links.beside(found.id, id) }
  sessions.keepNotice(session, {
    tone: 'plain',
    text: 'It was sent, but the journal does not have it any more.',
  })
  return { to: view.links.page('requests') }
}

export const sendForm: PageRoute = { ...routeTo('/requests/:id/again', send), method: 'POST' }

type ChangeProps = Typed & { request: RequestExplained }

function ChangePage(view: View, { request, typed, mistake }: ChangeProps) {
  const { id, method, target } = request
  const { 'idempotency-key': key } = request.request.headers
  const field = mistake?.field
  const isShownAgain = Object.keys(typed).length > 0
  const text = (name: string, fallback: string) => (typeof typed[name] === 'string' ? typed[name] : fallback)
  const headers = text('headers', headerLines(ownHeaders(request)))
  const body = text('body', laidOutText(request.request.body))
  const chosen = text('key', 'same')
  const choices: readonly KeyChoice[] = key === undefined ? ['same', 'new'] : ['same', 'new', 'none']
  const named = (name: NonNullable<Mistake['field']>) => ({
    id: name,
    name,
    label: LABELS[name],
    problem: field === name ? `${mistake?.problem}.` : undefined,
  })
  return (
    <DashboardFrame
      view={view}
      title={`Change and send ${id}`}
      heading="Change and send again"
      above={<OfRequest view={view} id={id} />}
    >
      {mistake && field !== undefined && (
        <ErrorSummary problems={{ [field]: `${mistake.problem}.` }} labels={LABELS} />
      )}
      {mistake && field === undefined && (
        <Notice tone="warn" alert>
          <p>{mistake.problem}.</p>
        </Notice>
      )}
      <form class="editor again" method="post" action={addressOf(view, id)}>
        <Hidden view={view} />
        <div class="address">
          <code>{method}</code>
          <LabeledField {...named('target')} required value={text('target', target)} />
        </div>
        <LabeledField
          {...named('headers')}
          rows={Math.max(3, headers.split('\n').length + 1)}
          value={headers}
        />
        {writes(method) && (
          <LabeledField
            name="body"
            label="Body"
            rows={Math.min(24, body.split('\n').length + 2)}
            value={body}
          />
        )}
        <fieldset class="checks">
          <legend>Idempotency-Key</legend>
          {choices.map((choice) => (
            <label>
              <input type="radio" name="key" value={choice} checked={choice === chosen} />
              <span>{KEYS[choice](key)}</span>
            </label>
          ))}
        </fieldset>
        <p class="soft">
          The sandbox's own API key is sent: keys are not kept in the journal.{' '}
          {!isShownAgain && 'The body is laid out for reading.'}
        </p>
        <div class="wrap">
          <button class="knob main" type="submit">
            <Icon name="play" size={16} />
            Send
          </button>
          <a class="knob bare" href={view.links.any(id)}>
            Cancel
          </a>
        </div>
      </form>
    </DashboardFrame>
  )
}

// Both answers

async function loadBoth({ c, control }: PageRequest) {
  const first = findRequest(c, control)
  const second = control.request(inPath(c, 'other'))
  const { profile, ids } = contractUnder(control)
  return {
    first,
    second,
    answers: markLines(linesAnswered(first, profile), linesAnswered(second, profile), ids),
    sent: markLines(linesSent(first), linesSent(second), ids),
    gate: gateOf(control, second.id),
    told: await toldOfRequests(control, [first, second]),
  }
}

/** Leads to two requests that were checked in the list; with another number, says how many to check. */
export const compareLink = routeTo('/requests/compare', ({ c, control, view }) => {
  const [first, second, ...more] = (c.req.queries('id') ?? []).map((id) => control.request(id).id).reverse()
  if (first === undefined || second === undefined || more.length > 0)
    throw invalidParameter('id', 'must be two requests to compare: tick two rows')
  return { to: view.links.beside(first, second) }
})

export const besidePage = pageRoute({
  path: '/requests/:id/beside/:other',
  load: loadBoth,
  view: BesidePage,
})

function BesidePage(
  view: View,
  { first, second, answers, sent, gate, told }: Awaited<ReturnType<typeof loadBoth>>,
) {
  return (
    <DashboardFrame
      view={view}
      title={`${first.id} beside ${second.id}`}
      above={<OfRequest view={view} id={first.id} />}
      isLive={isUnderWay(second)}
    >
      <ToldNotices links={view.links} told={told} areCompared />
      {gate !== undefined && <GateSection view={view} gate={gate} />}
      {isUnderWay(second) && <p>{second.id} is still under way: its answer is shown here when it comes.</p>}
      <Section title="Answers">
        <Notice tone={[...answers.first, ...answers.second].some(isDifferent) ? 'warn' : 'good'}>
          <p>{inWords(answers, 'answers')}</p>
        </Notice>
        <Beside view={view} pair={[first, second]} texts={answers} label="Answer to" withStatus />
      </Section>
      <Section title="Requests">
        <p class="soft">{inWords(sent, 'requests')}</p>
        <Beside view={view} pair={[first, second]} texts={sent} label="Request" />
      </Section>
      <p class="wrap">
        {[first, second].map(({ id }) => (
          <Knob to={view.links.any(id)}>{id} explained</Knob>
        ))}
        <Knob to={addressOf(view, first.id)}>Change {first.id} and send</Knob>
      </p>
    </DashboardFrame>
  )
}

/** A page follows a request until it is answered; nothing of it changes later. */
export const isUnderWay = ({ status, fault }: RequestExplained) => status === null && fault === null

const isDifferent = ({ mark }: MarkedLine) => mark === 'differs'

function inWords(texts: MarkedTexts, what: string): string {
  const linesWith = (mark: MarkedLine['mark']) =>
    Math.max(countOf(texts.first, mark), countOf(texts.second, mark))
  const differing = linesWith('differs')
  if (differing > 0) return `The ${what} differ in ${counted(differing, 'line')}: marked below.`
  if (linesWith('created') > 0)
    return `The ${what} are the same except for ids and times, which are new each time.`
  return `The ${what} are the same.`
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

function linesSent({ method, target, request }: RequestExplained): string[] {
  const { 'user-agent': _, ...headers } = request.headers
  return [`${method} ${target}`, ...linesOf(headerLines(headers)), '', ...linesOf(laidOutText(request.body))]
}

function linesAnswered({ status, fault, response }: RequestExplained, profile: Profile): string[] {
  const others = headersUnder(profile).filter(({ same }) => same === 'nothing')
  const headers = Object.entries(response?.headers ?? {}).filter(
    ([name]) => !others.some(({ named }) => named.toLowerCase() === name),
  )
  return [
    status === null ? 'no answer' : String(status),
    ...(fault === null ? [] : [`the connection: ${fault}`]),
    ...linesOf(headerLines(Object.fromEntries(headers))),
    '',
    ...linesOf(laidOutText(response?.body ?? '')),
  ]
}

interface BesideTexts {
  view: View
  pair: readonly [RequestExplained, RequestExplained]
  texts: MarkedTexts
  label: string
  withStatus?: boolean
}

function Beside({ view, pair, texts, label, withStatus = false }: BesideTexts) {
  return (
    <div class="beside">
      {pair.map(({ id, status, fault, verdict, key }, side) => (
        <div class="half">
          <p class="wrap">
            <a class="id" href={view.links.any(id)}>
              {id}
            </a>
            {withStatus && <StatusBadge status={status} fault={fault} />}
            {withStatus && key !== null && verdict !== null && <span class="chip way">{verdict}</span>}
          </p>
          <Code label={`${label} ${id}`}>
            {(side === 0 ? texts.first : texts.second).map((line, at) => (
              <>
                {at > 0 && '\n'}
                <Line {...line} />
              </>
            ))}
          </Code>
        </div>
      ))}
    </div>
  )
}

function Line({ text, mark }: MarkedLine) {
  if (mark === 'same' || text === '') return <>{text}</>
  return mark === 'differs' ? <mark>{text}</mark> : <mark class="anew">{text}</mark>
}
