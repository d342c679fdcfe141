/** One request explained: how far it came, who answered and why, what it changed, and what followed. */
import type { Child } from 'hono/jsx'
import type { RequestExplained, RequestSummary } from '../control/shapes.ts'
import { Notice, type Tone } from '../pages/blocks.tsx'
import { Icon } from '../pages/icons.tsx'
import { Id, Section, Snippet, Status, TimeCell } from './blocks.tsx'
import { EventRows } from './events.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonText } from './json-text.tsx'
import type { Links } from './links.ts'
import { oddities, RequestRows } from './request-rows.tsx'
import type { View } from './view.ts'

export interface RequestProps {
  view: View
  request: RequestExplained
  /** Every request with the same key and path, in the order in which they came. */
  uses: readonly RequestSummary[]
  /** The same as a step of a scenario. */
  step: string
  earlier: string | undefined
  later: string | undefined
}

export function RequestPage({ view, request, uses, step, earlier, later }: RequestProps) {
  const { links } = view
  const { id, method, target, status, fault, key, subject, durationMs, arrivedAt } = request
  return (
    <DashboardFrame view={view} title={`${method} ${target}`}>
      <header class="title">
        <div>
          <p class="soft">
            <a href={links.page('requests')}>Requests</a> / {id} · <TimeCell at={arrivedAt} date />
            {durationMs !== null && ` · ${durationMs.toFixed(1)} ms`}
          </p>
          <h1 class="request">
            <Status status={status} fault={fault} />
            <code>
              {method} {target}
            </code>
          </h1>
        </div>
        <nav class="wrap" aria-label="Around this request">
          {subject && (
            <a class="knob main" href={links.page('timeline', { of: subject })}>
              Timeline
            </a>
          )}
          {key !== null && (
            <a class="knob" href={links.page('timeline', { key })}>
              Timeline of its key
            </a>
          )}
          {earlier && (
            <a class="knob" href={links.request(earlier)}>
              Earlier
            </a>
          )}
          {later && (
            <a class="knob" href={links.request(later)}>
              Later
            </a>
          )}
        </nav>
      </header>

      <Notice tone={toneOf(request)}>
        <p class="why">{request.summary}</p>
        <p class="wrap">
          {oddities(request).map(({ text, tone }) => (
            <span class={`chip ${tone}`}>{text}</span>
          ))}
        </p>
      </Notice>

      <Path request={request} />

      <div class="columns">
        <div class="stack">
          <Key view={view} request={request} uses={uses} />
          <Behaviors request={request} />
          <Changes links={links} request={request} />
          <Followed view={view} request={request} />
          {request.bug !== null && (
            <Section title="Where the bug is">
              <Snippet text={request.bug} label="Stack of the bug" />
            </Section>
          )}
          <Section title="Request">
            <Sent sent={request.request} links={links} label="request" />
          </Section>
          <Section title="Answer">
            {request.response ? (
              <Sent sent={request.response} links={links} label="answer" />
            ) : (
              <p class="soft">None yet.</p>
            )}
          </Section>
        </div>
        <div class="aside">
          <Section title="Once more, as curl">
            <Snippet text={brokenLines(request.curl)} label="curl" />
          </Section>
          <Section title="As a step of a scenario">
            <Snippet text={step} label="Step of a scenario" />
            <p>
              <a class="knob" href={links.page('record', { id })}>
                <Icon name="list" size={16} />
                With everything it relies on
              </a>
            </p>
          </Section>
        </div>
      </div>
    </DashboardFrame>
  )
}

function toneOf({ status, fault, verdict }: RequestExplained): Tone {
  if (fault !== null || (status !== null && status >= 500)) return 'bad'
  if (status !== null && status >= 400) return 'warn'
  return status === null || verdict === 'replayed' ? 'plain' : 'good'
}

const SHORT_STEPS: Record<string, string> = {
  'body and media type': 'body',
  'idempotency key syntax': 'key syntax',
}

/** Instants as times of the day, and names that may break after their dots. */
const breakable = (note: string) =>
  note.replace(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1').replace(/([a-z])\.(?=[a-z])/g, '$1.\u200b')

/** A line for each header, except where a quoted text says the same as a new header would. */
const brokenLines = (curl: string) =>
  curl.replace(/'[^']*'|"[^"]*"| (?=-H |--data-raw )/g, (found) => (found === ' ' ? ' \\\n  ' : found))

/** The steps of the gate as a way that the request went, as far as it went. */
function Path({ request: { steps, fault } }: { request: RequestExplained }) {
  return (
    <section class="path" aria-label="The steps it passed">
      <ol>
        {steps.map(({ step, outcome, note }) => (
          <li data-outcome={outcome.replace(' ', '-')}>
            <b>{SHORT_STEPS[step] ?? step}</b>
            <span class="hidden-text">: {outcome}</span>
            {note !== null && <small>{breakable(note)}</small>}
          </li>
        ))}
        {fault !== null && (
          <li data-outcome="broken">
            <b>the way back</b>
            <small>{fault}</small>
          </li>
        )}
      </ol>
    </section>
  )
}

function Key({ view, request, uses }: Pick<RequestProps, 'view' | 'request' | 'uses'>) {
  const { key, idempotency, id } = request
  if (!idempotency || key === null) return null
  const { verdict, firstUsedAt, differences } = idempotency
  const others = uses.filter((use) => use.id !== id)
  return (
    <Section title="Idempotency-Key" aside={<span class="chip way">{verdict}</span>}>
      <p>
        <code>{key}</code>
        {firstUsedAt !== null && (
          <span class="soft">
            {' '}
            first used at <TimeCell at={firstUsedAt} date />
          </span>
        )}
      </p>
      {differences.length > 0 && (
        <table class="compare" aria-label="Where the bodies differ">
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">first request</th>
              <th scope="col">this request</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ path, first, now }) => (
              <tr>
                <th scope="row">
                  <code>{path.replace(/^\$\./, '')}</code>
                </th>
                <td data-label="first request">
                  <del>{first}</del>
                </td>
                <td data-label="this request">
                  <ins>{now}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {others.length > 0 && (
        <>
          <h3>Other requests with this key</h3>
          <ol class="rows narrow">
            <RequestRows requests={others} links={view.links} />
          </ol>
        </>
      )}
    </Section>
  )
}

function Behaviors({ request: { behaviors } }: { request: RequestExplained }) {
  if (behaviors.length === 0) return null
  return (
    <Section title="Behaviors">
      <ul class="firings">
        {behaviors.map(({ behavior, did, fired, why }) => (
          <li class={fired ? 'fired' : undefined}>
            <Icon name={fired ? 'bolt' : 'cross'} size={18} />
            <div>
              <b>{behavior}</b> {fired ? did : 'did not act'}
              <p class="soft">{why}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Changes({
  links,
  request: { changes, subject, before, after, events },
}: {
  links: Links
  request: RequestExplained
}) {
  const created = !before && events.length > 0
  if (changes.length === 0 && !created) return null
  return (
    <Section title="Before and after" aside={subject && <Id id={subject} links={links} />}>
      {changes.length > 0 && (
        <table class="compare" aria-label="What it changed">
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">before</th>
              <th scope="col">after</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ path, first, now }) => (
              <tr>
                <th scope="row">
                  <code>{path.replace(/^\$\./, '')}</code>
                </th>
                <td data-label="before">
                  <del>{first}</del>
                </td>
                <td data-label="after">
                  <ins>
                    <Linked text={now} links={links} />
                  </ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {created && !after && (
        <p class="wrap">
          <span class="soft">Came to be:</span>
          {[...new Set(events.map(({ resourceId }) => resourceId))].map((id) => (
            <Id id={id} links={links} whole />
          ))}
        </p>
      )}
    </Section>
  )
}

/** A value in words, which leads somewhere where it is an id. */
function Linked({ text, links }: { text: string; links: Links }): Child {
  const id = /^"((?:chk|auth|ref|cus|pm)_\w+)"$/.exec(text)?.[1]
  return id === undefined ? text : <Id id={id} links={links} />
}

function Followed({ view, request: { events, arrivedAt } }: { view: View; request: RequestExplained }) {
  if (events.length === 0) return null
  return (
    <Section title="What followed" count={events.length}>
      <EventRows
        view={view}
        events={events.map(({ id, type, resourceId }) => ({
          id,
          type,
          timestamp: arrivedAt,
          data: { id: resourceId },
        }))}
        deliveries={events.flatMap(({ deliveries }) => deliveries)}
      />
    </Section>
  )
}

type SentProps = { sent: RequestExplained['request']; links: Links; label: string }

function Sent({ sent: { headers, body }, links, label }: SentProps) {
  return (
    <>
      <dl class="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body === '' ? (
        <p class="soft">No body.</p>
      ) : (
        <JsonText text={body} links={links} label={`Body of the ${label}`} />
      )}
    </>
  )
}
