/** The blocks that the dashboard's pages share. */
import type { Child } from 'hono/jsx'
import { Icon, type IconName } from '../pages/icons.tsx'
import { ACTIONS, type ActionName, type ControlRequest, type Fields } from './actions.ts'
import type { Links } from './links.ts'
import { stateTone } from './states.ts'
import type { View } from './view.ts'
import { dateText, shortId, timeText } from './words.ts'

// What things look like

/** `tone`: the state whose tone it has, where more than its name is shown. */
export function State({ name, tone = name }: { name: string; tone?: string }) {
  return <span class={`chip ${stateTone(tone)}`}>{name}</span>
}

/** A status in the tone of what it means for the caller. */
export function Status({ status, fault }: { status: number | null; fault?: string | null }) {
  if (status === null) return <span class="status open">···</span>
  return <span class={`status ${statusTone(status, fault)}`}>{status}</span>
}

export function statusTone(status: number, fault: string | null = null): 'good' | 'refused' | 'failed' {
  if (fault !== null || status >= 500) return 'failed'
  return status < 400 ? 'good' : 'refused'
}

/** The time of day, with the whole instant at hand; with the date where days meet. */
export function TimeCell({ at, date = false }: { at: string; date?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time class="when" datetime={at} title={at}>
      {date && <span class="soft">{dateText(ms)} </span>}
      {timeText(ms)}
    </time>
  )
}

/** An id that leads to what it names: whole where there is room, else enough of it. */
export function Id({ id, links, whole = false }: { id: string; links: Links; whole?: boolean }) {
  return (
    <a class="id" href={links.any(id)} title={id}>
      {whole ? id : shortId(id)}
    </a>
  )
}

type SectionProps = { title: string; count?: number; aside?: Child; id?: string; children?: Child }

export function Section({ title, count, aside, id, children }: SectionProps) {
  return (
    <section class="section" id={id}>
      <header>
        <h2>
          {title}
          {count !== undefined && <span class="count"> {count.toLocaleString('en-US')}</span>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

/** What a page says while there is nothing on it: what will be here, and how it comes. */
export function Empty({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  )
}

export type Term = { term: string; detail: Child }

export function Terms({ terms }: { terms: readonly Term[] }) {
  return (
    <dl class="terms">
      {terms.map(({ term, detail }) => (
        <div>
          <dt>{term}</dt>
          <dd>{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Long lines are scrolled, which the keyboard can do once it gets there. */
export function Code({ label, children }: { label: string; children?: Child }) {
  return (
    <section class="code" tabindex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}

// What is copied: the button appears where there is a script to do it

export function CopyButton({ label = 'Copy' }: { label?: string }) {
  return (
    <button class="knob bare" type="button" data-copy hidden>
      <Icon name="copy" size={15} />
      <span>{label}</span>
    </button>
  )
}

export function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div class="snippet" data-copied>
      <Code label={label}>{text}</Code>
      <CopyButton />
    </div>
  )
}

// What is steered

export function Token({ view: { token, path } }: { view: View }) {
  return (
    <>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="back" value={path} />
    </>
  )
}

export type ActionProps = {
  view: View
  deed: ActionName
  /** What the form sends without anybody typing it, and what its curl line shows for what is typed. */
  fields?: Fields
  shown?: Fields
  label: string
  /** What it is done to, for whoever hears one button of many. */
  about?: string
  icon?: IconName
  look?: 'main' | 'risky' | 'plain'
  children?: Child
}

/** A form with what it does as curl. */
export function Action({
  view,
  deed,
  fields = {},
  shown = {},
  label,
  about,
  icon,
  look = 'plain',
  children,
}: ActionProps) {
  return (
    <form class="action" method="post" action={view.links.page(`do/${deed}`)}>
      <Token view={view} />
      {Object.entries(fields).map(([name, value]) =>
        [value].flat().map((each) => <input type="hidden" name={name} value={each} />),
      )}
      <div class="with">
        {children}
        <button class={`knob ${look}`} type="submit">
          {icon && <Icon name={icon} size={16} />}
          {label}
          {about !== undefined && <span class="hidden-text"> {about}</span>}
        </button>
      </div>
      <CurlDetails view={view} asked={ACTIONS[deed].request({ ...shown, ...fields })} what={label} />
    </form>
  )
}

/** `isAlone`: where no button beside it says what it does. */
export function CurlDetails({
  view,
  asked,
  what,
  isAlone = false,
}: {
  view: View
  asked: ControlRequest
  what: string
  isAlone?: boolean
}) {
  return (
    <details class="curl">
      <summary>
        curl<span class={isAlone ? undefined : 'hidden-text'}> for {what}</span>
      </summary>
      <Snippet text={curlLine(view, asked)} label={`curl for ${what}`} />
    </details>
  )
}

/** Says the same as a form, for whoever puts it into a script. */
export function curlLine(
  { origin, links, guarded }: Pick<View, 'origin' | 'links' | 'guarded'>,
  { method, path, of = 'sandbox', body: json, yaml }: ControlRequest,
): string {
  const address = `${origin}${of === 'sandbox' ? links.api : '/_sim'}${path}`
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(address)}`,
    ...(guarded ? [`-H "Authorization: Bearer $PAYSIM_ADMIN_TOKEN"`] : []),
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json))}`]),
    ...(yaml === undefined ? [] : [`-H 'Content-Type: application/yaml'`, '--data-binary @scenario.yaml']),
  ].join(' \\\n  ')
}

/** In single quotes wherever a shell could read something into it. */
const quoted = (text: string) => (/^[\w:/.,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

type LabeledProps = { label: string; children?: Child }

export function Labeled({ label, children }: LabeledProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="labeled">
      <span>{label}</span>
      {children}
    </label>
  )
}
