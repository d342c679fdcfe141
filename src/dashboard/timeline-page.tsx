/** The timeline of one resource or of one Idempotency-Key. */
import { Empty, Id, Labeled, Section, State } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { LiveBar, LiveList } from './live.tsx'
import { counted } from './text.ts'
import { layOutTimeline, NARROW, WIDE } from './timeline-layout.ts'
import type { Timeline } from './timeline-model.ts'
import { TimelineSvg } from './timeline-svg.tsx'
import type { View } from './view.ts'

export interface Subject {
  id: string
  state: string | undefined
  /** Its orderId and externalId. */
  references: string
}

export interface TimelinePageProps {
  view: View
  /** A resource's id, or a key. */
  of: string | undefined
  ofKey: string | undefined
  timeline: Timeline | undefined
  /** Whether there was more than is shown. */
  cut: boolean
  /** What else a timeline can show. */
  subjects: readonly Subject[]
  keys: readonly { key: string; uses: number }[]
}

export function TimelinePage({ view, of, ofKey, timeline, cut, subjects, keys }: TimelinePageProps) {
  const title = of ? `Timeline of ${of}` : ofKey ? `Timeline of key ${ofKey}` : 'Timeline'
  return (
    <DashboardFrame view={view} title={title}>
      <header class="title">
        <h1>
          Timeline
          {of && (
            <>
              {' of '}
              <Id id={of} links={view.links} />
            </>
          )}
          {ofKey && (
            <>
              {' of key '}
              <code>{ofKey}</code>
            </>
          )}
        </h1>
        {timeline && <LiveBar view={view} />}
      </header>
      <TimelineForm view={view} of={of} ofKey={ofKey} />
      {timeline && (
        <LiveList name="timeline" count={timeline.moments.length}>
          <Drawn view={view} timeline={timeline} cut={cut} />
        </LiveList>
      )}
      {!timeline && <Suggestions view={view} subjects={subjects} keys={keys} />}
    </DashboardFrame>
  )
}

function Drawn({ view, timeline, cut }: { view: View; timeline: Timeline; cut: boolean }) {
  if (timeline.moments.length === 0)
    return (
      <Empty title="There is nothing to show">
        <p>No request in the journal and no event names it.</p>
      </Empty>
    )
  return (
    <>
      <Legend cut={cut} />
      <TimelineSvg
        drawing={layOutTimeline(timeline, WIDE)}
        look="wide"
        subject={timeline.subject}
        links={view.links}
      />
      <TimelineSvg
        drawing={layOutTimeline(timeline, NARROW)}
        look="narrow"
        subject={timeline.subject}
        links={view.links}
      />
    </>
  )
}

function TimelineForm({ view, of, ofKey }: Pick<TimelinePageProps, 'view' | 'of' | 'ofKey'>) {
  return (
    <form class="filter" action={view.links.page('timeline')}>
      <Labeled label="Resource">
        <input class="text" name="of" value={of} placeholder="chk_…, auth_…, ref_…" />
      </Labeled>
      <Labeled label="or Idempotency-Key">
        <input class="text" name="key" value={ofKey} />
      </Labeled>
      <button class="knob" type="submit">
        Show
      </button>
    </form>
  )
}

function Legend({ cut }: { cut: boolean }) {
  return (
    <div class="legend small soft">
      {cut && <p>Only the latest part is shown: up to 150 requests, of the 10,000 that the journal keeps.</p>}
      <p>
        Time runs from top to bottom. The arrow of a request turns where the request was answered: at the
        checks before the operation, or at the resource. A line at the side connects requests with the same
        Idempotency-Key, or the attempts of one delivery.
      </p>
      <p class="wrap">
        <State name="pending" /> <State name="approved, authorized" tone="approved" />{' '}
        <State name="confirmed, captured, completed" tone="confirmed" />{' '}
        <State name="canceled, voided" tone="canceled" />
      </p>
    </div>
  )
}

type SuggestionsProps = Pick<TimelinePageProps, 'view' | 'subjects' | 'keys'>

function Suggestions({ view, subjects, keys }: SuggestionsProps) {
  if (subjects.length === 0 && keys.length === 0) {
    return (
      <Empty title="There is nothing to show yet">
        <p>
          Create a checkout. Its requests, changes, events and deliveries are shown here in the order of the
          sandbox's time, with retries and lost answers.
        </p>
      </Empty>
    )
  }
  return (
    <div class="columns even">
      <Section title="Latest resources">
        <ul class="list-block">
          {subjects.map(({ id, state, references }) => (
            <li>
              <div>
                <a href={view.links.page('timeline', { of: id })}>{id}</a>
                <p class="soft">{references}</p>
              </div>
              {state && <State name={state} />}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Idempotency-Keys that were used more than once">
        {keys.length === 0 && (
          <p class="soft">
            None. A request that is sent again with the same key is shown beside the first one.
          </p>
        )}
        <ul class="list-block">
          {keys.map(({ key, uses }) => (
            <li>
              <a href={view.links.page('timeline', { key })}>{key}</a>
              <span class="soft">{counted(uses, 'request')}</span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  )
}
