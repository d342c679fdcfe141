/** The blocks that the dashboard's pages share. */
import type { Child } from 'hono/jsx'
import { Icon } from '../pages/icons.tsx'
import type { Links } from './links.ts'
import { stateTone } from './states.ts'
import type { View } from './view.ts'
import { dateText, shortId, timeText } from './words.ts'

// What things look like

export function State({ name }: { name: string }) {
  return <span class={`chip ${stateTone(name)}`}>{name}</span>
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
export function When({ at, date = false }: { at: string; date?: boolean }) {
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
      <pre class="code" role="region" tabindex={0} aria-label={label}>
        {text}
      </pre>
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

export interface Curl {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the sandbox's part of the tester's side. */
  path: string
  json?: unknown
}

/** Says the same as a form, for whoever puts it into a script. */
export function curlLine({ origin, links, guarded }: View, { method = 'POST', path, json }: Curl): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${origin}${links.api}${path}`)}`,
    ...(guarded ? [`-H "Authorization: Bearer $PAYSIM_ADMIN_TOKEN"`] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json))}`]),
  ].join(' \\\n  ')
}

const quoted = (text: string) =>
  /^[\w:/.?=&-]+$/.test(text) && !text.includes('&') && !text.includes('?') ? text : `'${text.replaceAll("'", `'\\''`)}'`

export type ActionProps = {
  view: View
  /** Where the form goes, below the sandbox's pages. */
  to: string
  label: string
  look?: 'main' | 'risky' | 'plain'
  curl: Curl
  hidden?: Record<string, string>
  children?: Child
}

export function Action({ view, to, label, look = 'plain', curl, hidden = {}, children }: ActionProps) {
  return (
    <form class="action" method="post" action={view.links.page(to)}>
      <Token view={view} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="with">
        {children}
        <button class={`knob ${look}`} type="submit">
          {label}
        </button>
      </div>
      <CurlDetails view={view} curl={curl} what={label} />
    </form>
  )
}

export function CurlDetails({ view, curl, what }: { view: View; curl: Curl; what: string }) {
  return (
    <details class="curl">
      <summary>
        curl<span class="hidden-text"> for {what}</span>
      </summary>
      <Snippet text={curlLine(view, curl)} label={`curl for ${what}`} />
    </details>
  )
}

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
