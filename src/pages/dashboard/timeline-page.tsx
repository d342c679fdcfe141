/** The timeline of one resource or of one Idempotency-Key. */
import { counted } from '../../spec/contract/counted.ts'
import { Empty, OrderAndId, Section, State } from './blocks.tsx'
import { type FilterField, FilterForm, type FilterMistake, type FilterQuery } from './filter.tsx'
import { DashboardFrame } from './frame.tsx'
import { LiveBar, LiveList } from './live.tsx'
import { REQUEST_FIELDS } from './requests.tsx'
import { TimelineList } from './timeline.tsx'
import type { Timeline } from './timeline-model.ts'
import type { View } from './view.ts'

export interface Subject {
  id: string
  state: string | undefined
  /** Its orderId and externalId. */
  references: string
}

export interface TimelinePageProps {
  view: View
  /** `of` or `key`, and the filters. */
  query: FilterQuery
  mistake: FilterMistake | undefined
  timeline: Timeline | undefined
  /** Whether some moments are left out. */
  cut: boolean
  /** Other resources and keys with a timeline. */
  subjects: readonly Subject[]
  keys: readonly { key: string; uses: number }[]
}

/** The request filters that a timeline offers. */
const FILTERS = ['status', 'only', 'method', 'behavior', 'since']
export const TIMELINE_FIELDS: readonly FilterField[] = [
  { name: 'of', label: 'Resource', placeholder: 'its id', isSubject: true },
  { name: 'key', label: 'or Idempotency-Key', isSubject: true },
  ...REQUEST_FIELDS.filter(({ name }) => FILTERS.includes(name)),
]

export function TimelinePage({ view, query, mistake, timeline, cut, subjects, keys }: TimelinePageProps) {
  const { of } = query
  const ofKey = of ? undefined : query.key
  const isFiltered = FILTERS.some((name) => query[name])
  const title = of
    ? `Timeline of ${view.links.orderName(of) ?? of}`
    : ofKey
      ? `Timeline of key ${ofKey}`
      : 'Timeline'
  return (
    <DashboardFrame view={view} title={title}>
      <header class="title">
        <h1>
          Timeline
          {of && (
            <>
              {' of '}
              <OrderAndId id={of} links={view.links} />
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
      <FilterForm
        view={view}
        page="timeline"
        fields={TIMELINE_FIELDS}
        query={query}
        found={timeline && { count: timeline.moments.length, isAll: !cut }}
        thing="moment"
        mistake={mistake}
      />
      {timeline && (
        <LiveList name="timeline" count={timeline.moments.length}>
          <Drawn view={view} timeline={timeline} cut={cut} isFiltered={isFiltered} />
        </LiveList>
      )}
      {!timeline && <Suggestions view={view} subjects={subjects} keys={keys} />}
    </DashboardFrame>
  )
}

interface DrawnProps {
  view: View
  timeline: Timeline
  cut: boolean
  isFiltered: boolean
}

function Drawn({ view, timeline, cut, isFiltered }: DrawnProps) {
  if (timeline.moments.length === 0)
    return (
      <Empty title={isFiltered ? 'Nothing fits the filter' : 'There is nothing to show'}>
        <p>
          {isFiltered
            ? 'The latest 150 requests about it were looked at, with their webhooks.'
            : 'No request in the journal and no event names it.'}
        </p>
      </Empty>
    )
  return (
    <>
      <Legend cut={cut} />
      <TimelineList timeline={timeline} links={view.links} movedBetween={view.movedBetween} />
    </>
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
