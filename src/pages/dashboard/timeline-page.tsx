/** The timeline of one resource or of one Idempotency-Key. */
import { counted } from '../../spec/contract/counted.ts'
import { listOfKind } from '../../spec/contract/endpoints.ts'
import { idKindOf } from '../../spec/contract/ids.ts'
import { instant } from '../../spec/options/values.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { readParameters } from '../../tester/control/read-input.ts'
import { matchesStatus, RequestFilter } from '../../tester/control/request-filter.ts'
import { Empty, OrderAndId, Section, State } from './blocks.tsx'
import { type FilterField, FilterForm, withoutMistakes } from './filter.tsx'
import { DashboardFrame } from './frame.tsx'
import { listResources, timelineOf, timelineOfKey } from './page-data.ts'
import { chosenOf, type PageRequest, pageRoute } from './page-request.ts'
import { REQUEST_FIELDS, timeOf } from './requests.tsx'
import { TimelineList } from './timeline.tsx'
import { isTaken, type Timeline, type TimelineMoment } from './timeline-model.ts'
import type { View } from './view.ts'

/** The request filters that a timeline offers. */
const FILTERS = ['status', 'only', 'method', 'behavior', 'since']
const FIELDS: readonly FilterField[] = [
  { name: 'of', label: 'Resource', placeholder: 'its id', isSubject: true },
  { name: 'key', label: 'or Idempotency-Key', isSubject: true },
  ...REQUEST_FIELDS.filter(({ name }) => FILTERS.includes(name)),
]

async function load({ c, control }: PageRequest) {
  const query = chosenOf(
    c,
    FIELDS.map(({ name }) => name),
  )
  const { of, key } = query
  const found = of ? await timelineOf(control, of) : key ? await timelineOfKey(control, key) : undefined
  const {
    read: moments,
    mistakes,
    status,
  } = await withoutMistakes(query, ({ of: _, key: __, since, ...chosen }) => {
    const filter = readParameters(RequestFilter, chosen)
    const from = since === undefined ? undefined : instantOf(since, control)
    return found && pickMoments(found.timeline.moments, { ...filter, since: from })
  })
  return {
    query,
    mistakes,
    status,
    timeline: found && moments && { ...found.timeline, moments },
    /** Whether some moments are left out. */
    cut: found?.cut ?? false,
    subjects: found ? [] : subjects(control),
    keys: found ? [] : control.browse.keysUsedAgain(),
  }
}

type Data = Awaited<ReturnType<typeof load>>

/** The time of a request, by its id, or of an instant as text. */
const instantOf = (text: string, control: SandboxControl): number =>
  idKindOf(text) === 'request'
    ? Date.parse(control.request(text).arrivedAt)
    : instant(timeOf(text, control), 'since')

/** The latest resources that have a timeline. */
const subjects = (control: SandboxControl) =>
  (['checkout', 'authorization'] as const).flatMap((kind) =>
    listResources(control, listOfKind(kind), { limit: '10' }).data.map(
      ({ id, status, orderId, externalId }) => ({
        id,
        state: typeof status === 'string' ? status : undefined,
        references: [orderId, externalId].filter(Boolean).join(' · '),
      }),
    ),
  )

function view(view: View, { query, mistakes, timeline, cut, subjects, keys }: Data) {
  const { of } = query
  const ofKey = of ? undefined : query.key
  const isFiltered = FILTERS.some((name) => query[name])
  const name = of ? (view.links.orderName(of) ?? of) : ofKey && `key ${ofKey}`
  return (
    <DashboardFrame
      view={view}
      title={name ? `Timeline of ${name}` : 'Timeline'}
      heading={
        <>
          Timeline{name && ' of '}
          {of ? <OrderAndId id={of} links={view.links} /> : ofKey && ['key ', <code>{ofKey}</code>]}
        </>
      }
      isLive={timeline !== undefined}
      {...(timeline && { list: 'list' })}
    >
      <FilterForm
        view={view}
        page="timeline"
        fields={FIELDS}
        query={query}
        found={timeline && { count: timeline.moments.length, isAll: !cut }}
        thing="moment"
        mistakes={mistakes}
      />
      {timeline && (
        <div id="list" tabindex={-1}>
          <Drawn view={view} timeline={timeline} cut={cut} isFiltered={isFiltered} />
        </div>
      )}
      {!timeline && <Suggestions view={view} subjects={subjects} keys={keys} />}
    </DashboardFrame>
  )
}

export const timelinePage = pageRoute({ path: '/timeline', load, view })

type DrawnProps = { view: View; timeline: Timeline; cut: boolean; isFiltered: boolean }

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

function Suggestions({ view, subjects, keys }: Pick<Data, 'subjects' | 'keys'> & { view: View }) {
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
            <li data-id={id}>
              <div>
                <a href={view.links.page('timeline', { of: id })}>{references || id}</a>
                {references && <p class="id soft">{id}</p>}
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
            <li data-id={key}>
              <a href={view.links.page('timeline', { key })}>{key}</a>
              <span class="soft">{counted(uses, 'request')}</span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  )
}

/** By requests, by the result of an answer or an attempt, and by time. */
interface TimelineFilter extends Pick<RequestFilter, 'method' | 'status' | 'only' | 'behavior'> {
  /** On the sandbox's clock. */
  since: number | undefined
}

/**
 * The moments that fit. Changes by time, a buyer or a tester have no answer: they are filtered by time alone,
 * as they explain what follows.
 */
function pickMoments(
  moments: readonly TimelineMoment[],
  { method, status, only, behavior, since }: TimelineFilter,
): TimelineMoment[] {
  const hasStatus = status === undefined ? () => true : matchesStatus(String(status))
  return moments.filter((moment) => {
    if (since !== undefined && moment.at < since) return false
    if (moment.kind === 'change') return true
    if (!hasStatus(moment.status)) return false
    if (moment.kind === 'attempt')
      return only === undefined || (only === 'broken' ? moment.status === null : !isTaken(moment.status))
    const { arrives, behaviors } = moment
    return (
      (method === undefined || moment.asked.method === method) &&
      (only === undefined || arrives !== 'whole' || (only === 'failing' && (moment.status ?? 0) >= 400)) &&
      (behavior === undefined ||
        behaviors.includes(behavior) ||
        moment.effects.some(({ changedBy }) => changedBy.includes(behavior)))
    )
  })
}
