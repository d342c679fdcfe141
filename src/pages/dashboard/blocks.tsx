/** The blocks that the dashboard's pages share. */

import { type Child, createContext, useContext } from 'hono/jsx'
import { MOVES } from '../../service/domain/states.ts'
import { CONNECTION_FAULTS, type ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'
import { withCommas } from '../../spec/contract/counted.ts'
import { BY_NAME, DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { isGivenBack, LEDGER_KIND_NAMES } from '../../spec/contract/resources/ledger.ts'
import { isSuccess } from '../../spec/exchange.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { curlLines, onLines, shellWord } from '../../spec/typed.ts'
import { Field, type FieldProps } from '../form.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { type ActionName, type ControlRequest, type Fields, urlOf, WARNINGS } from './actions.ts'
import type { Links } from './links.ts'
import { dateText, timeText } from './text.ts'
import type { View } from './view.ts'

// Values

const TONES: Readonly<Partial<Record<string, 'wait' | 'good' | 'way' | 'over'>>> = {
  ...Object.fromEntries(LEDGER_KIND_NAMES.map((kind) => [kind, isGivenBack(kind) ? 'wait' : 'good'])),
  ...Object.fromEntries(
    BY_NAME.flatMap(({ name, states }) => states.map((state) => [state, toneOf(name, state)])),
  ),
  attached: 'good',
  delivered: 'good',
  running: 'good',
  frozen: 'way',
}

/** Waiting for others than the platform, in progress, finished well, or ended. Kinds share the color of a state's name. */
function toneOf(kind: ResourceName, state: string) {
  const moves = Object.values(MOVES[kind])
  const next = moves.filter(({ from }) => from.includes(state))
  if (next.length > 0) return next.some(({ by }) => by === 'platform') ? 'way' : 'wait'
  const { by, ledger } = moves.find(({ to }) => to === state) ?? { by: 'platform', ledger: 'none' }
  // Time finishes a refund, but ends a payment that was never taken.
  const isGood =
    ledger === 'none' ? by === 'time' && DEFINITIONS[kind].order === 'payment' : !isGivenBack(ledger.kind)
  return isGood ? 'good' : 'over'
}

/** The color of a state, which may follow the name of its kind, as in `refund pending`. */
export const stateTone = (state: string) => TONES[state.split(' ').at(-1)!] ?? 'over'

/** `tone`: the state that determines the color, if `name` is more than a state. */
export function State({ name, tone = name }: { name: string; tone?: string }) {
  return <span class={`chip ${stateTone(tone)}`}>{name}</span>
}

const isFault = (loss: string): loss is ConnectionFaultKind => loss in CONNECTION_FAULTS

/** The fate of a response, in words. Anything but a fault, such as a word of the player, is shown unchanged. */
export const lossText = (loss: string): string => (isFault(loss) ? CONNECTION_FAULTS[loss].mark : loss)

interface StatusProps {
  status: number | null
  fault?: string | null
  /** True for a request that moved money although it should not have. */
  isBad?: boolean
}

/** A status, colored by success or failure. */
export function StatusBadge({ status, fault, isBad = false }: StatusProps) {
  if (status === null && fault) {
    return (
      <span class="status wait" title={`No answer: ${lossText(fault)}`}>
        <Icon name="cross" size={16} />
        <span class="hidden-text">no answer</span>
      </span>
    )
  }
  const tone = status === null ? '' : fault || status >= 400 ? 'wait' : 'good'
  return <span class={`status ${isBad ? 'bad' : tone}`}>{status ?? '···'}</span>
}

interface AttemptStatusProps {
  status: number | null
  error?: string | null
  /** How many attempts in a row had it. */
  count?: number
}

/** The response to a webhook. Only 2xx is a delivery: a redirect is not followed. */
export function AttemptStatus({ status, error, count = 1 }: AttemptStatusProps) {
  return (
    <span class={`status ${isSuccess({ status }) ? 'good' : 'wait'}`} title={error ?? undefined}>
      {status ?? 'no answer'}
      {count > 1 && ` ×${count}`}
    </span>
  )
}

/** The time of day; the whole instant is shown on hover. */
export function TimeCell({ at, date = false }: { at: string; date?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time class="when soft" datetime={at} title={at}>
      {date && <span class="soft">{dateText(ms)}</span>} {timeText(ms)}
    </time>
  )
}

/** The name of the order that an id belongs to, and the id. */
export function OrderAndId({ id, links }: { id: string; links: Links }) {
  const name = links.orderName(id)
  return (
    <>
      {name !== undefined && <b>{name}</b>} <Id id={id} links={links} />
    </>
  )
}

/** A path with short ids, which may break before each segment. */
export function TargetPath({ target, links }: { target: string; links: Links }) {
  return target.split('/').map((part, index) => (
    <>
      {index > 0 && '/'}
      {index > 1 && <wbr />}
      {links.short(part)}
    </>
  ))
}

/** A link that looks like a button. */
export function Knob({ to, children }: { to: string; children?: Child }) {
  return (
    <a class="knob" href={to}>
      {children}
    </a>
  )
}

/** A link to the resource, event or request with this id. */
export function Id({ id, links, whole = false }: { id: string; links: Links; whole?: boolean }) {
  return (
    <a class="id" href={links.any(id)} title={id}>
      {whole ? id : links.short(id)}
    </a>
  )
}

/** A text in which each id is a link. */
export const withLinks = (text: string, links: Links, whole = false): Child =>
  text
    .split(/([\w-]+)/)
    .map((part) => (links.isId(part) ? <Id id={part} links={links} whole={whole} /> : part))

interface SectionProps {
  title: string
  count?: number
  aside?: Child
  id?: string
  /** Shown instead of an empty list. */
  none?: string | false
  children?: Child
}

export function Section({ title, count, aside, id, none, children }: SectionProps) {
  return (
    <section class="section" id={id}>
      <header>
        <h2>
          {title}
          {count !== undefined && <span class="count"> {withCommas(count)}</span>}
        </h2>
        {aside}
      </header>
      {none ? <p class="soft">{none}</p> : children}
    </section>
  )
}

/** Long lines wrap: in a narrow column they would be cut off, or scroll without a visible scrollbar. */
export function Code({ label, children }: { label: string; children?: Child }) {
  return (
    <section class="code" aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}

/** A text to copy. The button is shown only if scripts run. */
export function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div class="snippet" data-copied>
      <Code label={label}>{text}</Code>
      <button class="knob bare by-script" type="button" data-copy>
        <Icon name="copy" size={15} />
        <span>Copy</span>
      </button>
    </div>
  )
}

// Forms

/** The session's token, the page to return to, and the action's fixed arguments. */
export function Hidden({ view: { token, path }, fields = {} }: { view: View; fields?: Fields | undefined }) {
  return Object.entries({ token, back: path, ...fields }).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ))
}

/** What was typed into the form, if it was refused. */
const Typed = createContext<Fields>({})

/** A field of an action. */
export const ActionField = (props: FieldProps) => (
  <Field {...props} value={useContext(Typed)[props.name] ?? props.value} />
)

type ActionProps = {
  view: View
  action: ActionName
  /** Hidden fields. */
  fields?: Fields
  label: string
  /** What the button acts on, for screen readers: several buttons have the same label. */
  about?: string
  icon?: IconName
  look?: 'main' | 'plain'
  children?: Child
}

export function Action(props: ActionProps) {
  const { view, action, fields, label, about, icon, look = 'plain', children } = props
  const { typed } = view.notice ?? {}
  const warning = WARNINGS[action]
  const whom = about !== undefined && <span class="hidden-text"> {about}</span>
  const form = (
    <form class="action" method="post" action={view.links.page(`do/${action}`)}>
      <Hidden view={view} fields={fields} />
      <Typed.Provider value={typed?.action === action ? typed : {}}>{children}</Typed.Provider>
      <button class={`knob ${look}`} type="submit">
        {icon && <Icon name={icon} size={16} />}
        {label}
        {whom}
      </button>
    </form>
  )
  if (warning === undefined) return form
  return (
    <details>
      <summary class="knob">
        {label}…{whom}
      </summary>
      <p class="soft">{warning}</p>
      {form}
    </details>
  )
}

/** `what` the request does or reads. */
export const CurlDetails = ({ what, curl }: { what: string; curl: string }) => (
  <details class="curl">
    <summary>curl for {what}</summary>
    <Snippet text={curl} label={`curl for ${what}`} />
  </details>
)

/** The command that records these requests of the sandbox, or all of them, as a scenario. */
export function recordCommand({ origin, sandbox }: View, ...ids: string[]): string {
  const from = sandbox === DEFAULT_SANDBOX ? [] : ['--sandbox', sandbox]
  return ['paysim record --target', ...[origin, ...from, ...ids].map(shellWord)].join(' ')
}

/** The request of a form as a curl command. */
export function curlLine(view: Pick<View, 'origin' | 'links' | 'guarded'>, request: ControlRequest): string {
  const { method, body: json, yaml } = request
  const options = [
    ...(view.guarded ? [`-H "Authorization: Bearer $PAYSIM_ADMIN_TOKEN"`] : []),
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellWord(JSON.stringify(json))}`]),
    ...(yaml === undefined ? [] : [`-H 'Content-Type: application/yaml'`, '--data-binary @scenario.yaml']),
  ]
  return onLines(curlLines(method, shellWord(urlOf(view, request)), options))
}
