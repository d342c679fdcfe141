/** The timeline of one resource or of one Idempotency-Key. */
import { Empty, Id, Labeled, Section, State } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { layOutTimeline, NARROW, WIDE } from './timeline-layout.ts'
import type { Timeline } from './timeline-model.ts'
import { TimelineSvg } from './timeline-svg.tsx'
import type { View } from './view.ts'
import { counted } from './words.ts'

export interface Subject {
  id: string
  state: string | undefined
  /** What a person knows it by. */
  known: string
}

export interface TimelinePageProps {
  view: View
  /** A resource's id, or a key. */
  of: string | undefined
  ofKey: string | undefined
  story: Timeline | undefined
  /** Whether there was more than is shown. */
  cut: boolean
  /** What a timeline can be drawn of. */
  subjects: readonly Subject[]
  keys: readonly { key: string; uses: number }[]
}

export function TimelinePage({ view, of, ofKey, story, cut, subjects, keys }: TimelinePageProps) {
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
      </header>
      <Choose view={view} of={of} ofKey={ofKey} />
      {story && story.moments.length > 0 && (
        <>
          <Legend cut={cut} />
          <TimelineSvg
            drawing={layOutTimeline(story, WIDE)}
            look="wide"
            subject={story.subject}
            links={view.links}
          />
          <TimelineSvg
            drawing={layOutTimeline(story, NARROW)}
            look="narrow"
            subject={story.subject}
            links={view.links}
          />
        </>
      )}
      {story && story.moments.length === 0 && (
        <Empty title="Nothing is known of it">
          <p>No request in the journal names it, and no event tells of it.</p>
        </Empty>
      )}
      {!story && <Offers view={view} subjects={subjects} keys={keys} />}
    </DashboardFrame>
  )
}

function Choose({ view, of, ofKey }: Pick<TimelinePageProps, 'view' | 'of' | 'ofKey'>) {
  return (
    <form class="filter" action={view.links.page('timeline')}>
      <Labeled label="Resource">
        <input class="text" name="of" value={of} placeholder="chk_…, auth_…, ref_…" />
      </Labeled>
      <Labeled label="or Idempotency-Key">
        <input class="text" name="key" value={ofKey} />
      </Labeled>
      <button class="knob" type="submit">
        Draw
      </button>
    </form>
  )
}

function Legend({ cut }: { cut: boolean }) {
  return (
    <div class="legend small soft">
      {cut && <p>The latest part of a longer story: the journal and this page keep so much and no more.</p>}
      <p>
        Time runs down. A request turns back where it was answered: at the gate, or at the resource. A rail
        ties together the uses of one Idempotency-Key, or the attempts at one delivery.
      </p>
      <p class="wrap">
        <State name="pending" /> <State name="approved, authorized" tone="approved" />{' '}
        <State name="confirmed, captured, completed" tone="confirmed" />{' '}
        <State name="canceled, voided" tone="canceled" />
      </p>
    </div>
  )
}

type OffersProps = Pick<TimelinePageProps, 'view' | 'subjects' | 'keys'>

function Offers({ view, subjects, keys }: OffersProps) {
  if (subjects.length === 0 && keys.length === 0) {
    return (
      <Empty title="There is nothing to draw yet">
        <p>
          Create a checkout, and its requests, changes, events and deliveries are drawn here on the sandbox's
          time: the retries beside what they repeat, and the answers that were lost.
        </p>
      </Empty>
    )
  }
  return (
    <div class="columns even">
      <Section title="Latest">
        <ul class="list-block">
          {subjects.map(({ id, state, known }) => (
            <li>
              <div>
                <a href={view.links.page('timeline', { of: id })}>{id}</a>
                <p class="soft">{known}</p>
              </div>
              {state && <State name={state} />}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Keys that were used more than once">
        {keys.length === 0 && (
          <p class="soft">None. A retry with the same key would be tied to its original here.</p>
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
