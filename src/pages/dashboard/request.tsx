/** One request explained: the steps it passed, which step answered and why, what it changed, and its events. */

import { tookText } from '../../spec/contract/duration.ts'
import { TIMES } from '../../spec/contract/time.ts'
import { curlOfRequest, onLines } from '../../spec/typed.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { Notice, Terms, type Tone } from '../blocks.tsx'
import { findRequest, SendAgain, whyNoBody } from './again.tsx'
import {
  Action,
  Id,
  Knob,
  recordCommand,
  Section,
  Snippet,
  StatusBadge,
  TimeCell,
  withLinks,
} from './blocks.tsx'
import { EventList } from './events.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import type { Links } from './links.ts'
import { List, Words } from './list.tsx'
import { doubledIn, SentenceNotices, sentencesOfRequest } from './order-sentences.tsx'
import { routeTo } from './page-request.ts'
import { marksOf } from './requests.tsx'

export const requestPage = routeTo('/requests/:id', ({ c, control, browse, view }) => {
  const request = findRequest(c, control)
  const sentences = sentencesOfRequest(browse, request.id, request.subject)
  const gate = control.held().find((held) => held.request === request.id)?.gate
  const { links } = view
  const { id, method, target, status, fault, subject, durationMs, arrivedAt } = request
  const { key, idempotency, behaviors, changes, before, after, events } = request
  const created = before || after ? [] : [...new Set(events.map(({ resourceId }) => resourceId))]
  const order = links.orderName(id)
  const marks = marksOf(request)
  const page = (
    <DashboardFrame
      view={view}
      title={`${method} ${target}`}
      heading={
        <>
          <StatusBadge status={status} fault={fault} isBad={doubledIn(browse).has(id)} />
          <span>
            {order !== undefined && `${order} · `}
            <code>
              {method} {target}
            </code>
          </span>
        </>
      }
      above={
        <>
          <a href={links.page('requests')}>Requests</a> / {id} · <TimeCell at={arrivedAt} date />
          {durationMs !== null && ` · ${tookText(durationMs)}`}
        </>
      }
      // After the answer nothing changes.
      isLive={status === null && fault === null}
      links={subject && <Knob to={links.any(subject)}>What happened to it</Knob>}
    >
      <div class="stack">
        <SentenceNotices links={links} sentences={sentences} />
        <Notice tone={sentences.length > 0 && toneOf(request) === 'good' ? 'plain' : toneOf(request)}>
          <p class="why">{request.summary}</p>
          {marks.length > 0 && (
            <p class="wrap">
              {marks.map(({ text, tone }) => (
                <span class={`chip ${tone}`}>{text}</span>
              ))}
            </p>
          )}
        </Notice>

        <SendAgain view={view} request={request} />
        {gate !== undefined && (
          <Section title={`It waits at the gate ${gate}`}>
            <p class="soft">It continues when the gate opens, with every other request that waits there.</p>
            <Action
              view={view}
              action="release"
              fields={{ name: gate }}
              label="Open the gate"
              icon="play"
              look="main"
            />
          </Section>
        )}

        <RequestPath request={request} />

        {idempotency && key !== null && (
          <Section title="Idempotency-Key" aside={<span class="chip way">{idempotency.verdict}</span>}>
            <p>
              <a href={links.page('requests', { key })}>
                <code>{key}</code>
              </a>
              {idempotency.firstUsedAt !== null && (
                <span class="soft">
                  {' '}
                  first used at <TimeCell at={idempotency.firstUsedAt} date />
                </span>
              )}
            </p>
            <Differences
              name="Differences between the bodies"
              titles={['first request', 'this request']}
              differences={idempotency.differences}
              links={links}
            />
          </Section>
        )}
        {behaviors.length > 0 && <RequestBehaviors behaviors={behaviors} />}
        {(changes.length > 0 || created.length > 0) && (
          <Section title="Before and after" aside={subject && <Id id={subject} links={links} />}>
            <Differences
              name="What it changed"
              titles={['before', 'after']}
              differences={changes}
              links={links}
            />
            {created.length > 0 && (
              <p class="wrap">
                <span class="soft">Created:</span>
                {created.map((id) => (
                  <Id id={id} links={links} whole />
                ))}
              </p>
            )}
          </Section>
        )}
        {events.length > 0 && (
          <Section title="Events" count={events.length}>
            <EventList
              view={view}
              events={events.map((event) => ({
                ...event,
                timestamp: arrivedAt,
                data: { id: event.resourceId },
              }))}
            />
          </Section>
        )}
        {request.bug !== null && (
          <Section title="Stack trace">
            <Snippet text={request.bug} label="Stack trace" />
          </Section>
        )}
        <div class="columns even">
          <SentBytes title="Request" sent={request.request} links={links} none={whyNoBody(request)} />
          <SentBytes title="Response" sent={request.response} links={links} />
        </div>
        <Section title="Copy as">
          <Snippet
            text={onLines(curlOfRequest(view.base + target, { method, ...request.request }))}
            label="curl"
          />
          <p class="soft">A scenario with the requests that it depends on:</p>
          <Snippet text={recordCommand(view, id)} label="Command that records a scenario" />
        </Section>
      </div>
    </DashboardFrame>
  )
  return { page }
})

function toneOf({ status, fault, verdict }: RequestExplained): Tone {
  if (fault !== null || (status !== null && status >= 400)) return 'wait'
  return status === null || verdict === 'replayed' ? 'plain' : 'good'
}

const OUTCOME_TONES: Readonly<Record<RequestExplained['steps'][number]['outcome'], string>> = {
  passed: 'good',
  answered: 'way',
  'under way': 'way',
  'not reached': 'plain soft',
}

const withShortTimes = (note: string) => note.replace(TIMES, (time) => time.slice(11, 19))

/** The steps of the door, with the result of each. */
function RequestPath({ request }: { request: RequestExplained }) {
  const { steps, fault } = request
  return (
    <section aria-label="Steps of the request">
      <ol class="path wrap">
        {steps.map(({ step, outcome, note }) => (
          <li class={`chip ${OUTCOME_TONES[outcome]}`} data-outcome={outcome.replace(' ', '-')}>
            {step}
            <span class="hidden-text">: {outcome}</span>
            {note !== null && <small>{withShortTimes(note)}</small>}
          </li>
        ))}
        {fault !== null && (
          <li class="chip wait" data-outcome="broken">
            answer <small>{fault}</small>
          </li>
        )}
      </ol>
    </section>
  )
}

const RequestBehaviors = ({ behaviors }: Pick<RequestExplained, 'behaviors'>) => (
  <Section title="Behaviors">
    <ul class="items">
      {behaviors.map(({ behavior, did, fired, why }) => (
        <li>
          <div>
            <b>{behavior}</b> {fired && did}
            <p class="soft">{why}</p>
          </div>
          <span class={fired ? 'chip event' : 'chip'}>{fired ? 'acted' : 'did not act'}</span>
        </li>
      ))}
    </ul>
  </Section>
)

interface DifferencesProps {
  name: string
  titles: readonly [first: string, now: string]
  differences: readonly RequestExplained['changes'][number][]
  links: Links
}

function Differences({ name, titles: [first, now], differences, links }: DifferencesProps) {
  if (differences.length === 0) return null
  return (
    <List
      name={name}
      look="named"
      rows={differences}
      columns={[
        {
          label: 'field',
          class: 'wide',
          cell: ({ path }) => (
            <code>
              <Words name={path.replace(/^\$\./, '')} />
            </code>
          ),
        },
        { label: first, class: 'long', cell: (difference) => <del>{difference.first}</del> },
        { label: now, class: 'long', cell: (difference) => <ins>{withLinks(difference.now, links)}</ins> },
      ]}
    />
  )
}

interface SentProps {
  title: string
  sent: Pick<RequestExplained['request'], 'headers' | 'body'> | null
  links: Links
  /** Shown instead of an empty body. */
  none?: string | undefined
}

const SentBytes = ({ title, sent, links, none = 'No body.' }: SentProps) => (
  <Section title={title} none={!sent && 'None yet.'}>
    {sent && <Terms terms={Object.entries(sent.headers)} />}
    {sent?.body === '' ? (
      <p class="soft">{none}</p>
    ) : (
      sent && <JsonView text={sent.body} links={links} label={`Body of the ${title.toLowerCase()}`} />
    )}
  </Section>
)
