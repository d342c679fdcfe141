/** Sending a request again: the buttons on its page, and the form to change it first. */
import type { Context } from 'hono'
import { writes } from '../../spec/contract/endpoints.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { Notice } from '../blocks.tsx'
import { ErrorSummary } from '../form.tsx'
import { Icon } from '../icons.tsx'
import type { Fields } from './actions.ts'
import { Action, Hidden, Knob, Section } from './blocks.tsx'
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
import type { View } from './view.ts'

export const findRequest = (c: Context, control: SandboxControl) => control.request(inPath(c, 'id'))

/** The gate at which a request is waiting. */
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
          It repeats <a href={view.links.any(first)}>{first}</a>.
        </p>
      )}
    </>
  )
}

/** The gate, and the button that releases the request. */
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

/** The inputs, shown again with a mistake. */
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

/** Sends a request of the journal again, unchanged or as the form has it, and leads to the new request. */
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
  if (id !== undefined) return { to: view.links.any(id) }
  sessions.keepNotice(session, {
    tone: 'plain',
    text: 'It was sent, but the journal no longer has it.',
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
          {!isShownAgain && 'The body is formatted for reading.'}
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

/** A page follows a request until it is answered; after that nothing changes. */
export const isUnderWay = ({ status, fault }: RequestExplained) => status === null && fault === null
