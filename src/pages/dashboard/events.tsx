/** Webhooks: the endpoint, the events, and each delivery with its attempts. */

import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { Count } from '../../tester/control/browse.ts'
import type { Delivery, WebhookEndpoint } from '../../tester/control/shapes.ts'
import { Action, Code, Empty, Id, Labeled, Section, State, StatusBadge, Terms, TimeCell } from './blocks.tsx'
import type { FilterField, FilterQuery } from './filter.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import { ListFrame } from './list-frame.tsx'
import { LiveBar } from './live.tsx'
import { dateText, timeText, untilText } from './text.ts'
import type { View } from './view.ts'

export interface TesterEvent {
  id: string
  type: string
  timestamp: string
  data: { id: string } & Record<string, unknown>
}

const EVENT_FILTERS: readonly FilterField[] = [
  { name: 'type', label: 'Type', options: EVENT_TYPES },
  { name: 'delivery', label: 'Delivery', options: ['failed', 'pending', 'delivered'] },
]

export interface EventsProps {
  view: View
  endpoint: WebhookEndpoint | null
  /** Newest first. */
  events: readonly TesterEvent[]
  deliveries: readonly Delivery[]
  nextCursor: string | null
  count: Count
  query: FilterQuery
  /** How many events have a latest delivery that failed. */
  failed: number
}

export function EventsPage(props: EventsProps) {
  const { view, endpoint, events, deliveries, nextCursor, count, query, failed } = props
  return (
    <ListFrame
      view={view}
      title="Webhooks"
      page="events"
      fields={EVENT_FILTERS}
      query={query}
      found={count}
      thing="event"
      next={nextCursor}
      empty={
        <Empty title="No events yet">
          <p>
            An event is made each time a resource is created or changes its state. It is signed and delivered
            to the endpoint. A delivery that fails is tried again.
          </p>
        </Empty>
      }
      above={failed > 0 && <FailedSection view={view} failed={failed} />}
      aside={<EndpointSection view={view} endpoint={endpoint} />}
    >
      {events.length > 0 && <EventRows view={view} events={events} deliveries={deliveries} />}
    </ListFrame>
  )
}

function FailedSection({ view, failed }: { view: View; failed: number }) {
  return (
    <Section title="Failed deliveries" count={failed}>
      <p class="soft">
        Their last attempt has failed, and no other is due. The button delivers each of these events once
        more.
      </p>
      <Action view={view} action="redeliverFailed" label="Redeliver all failed" icon="send" look="main" />
    </Section>
  )
}

function EndpointSection({ view, endpoint }: { view: View; endpoint: WebhookEndpoint | null }) {
  return (
    <Section title="Endpoint">
      {endpoint ? (
        <Terms
          terms={[
            { term: 'URL', detail: <code>{endpoint.url}</code> },
            { term: 'Events', detail: endpoint.events.join(', ') },
            ...(endpoint.disabledAt
              ? [
                  {
                    term: 'Disabled',
                    detail: <span>The receiver answered 410 at {endpoint.disabledAt}.</span>,
                  },
                ]
              : []),
          ]}
        />
      ) : (
        <p class="soft">There is no endpoint. Events are kept, but not delivered.</p>
      )}
      <Action
        view={view}
        action="setWebhook"
        shown={{
          url: endpoint?.url ?? 'http://localhost:3000/webhooks',
          events: endpoint?.events.join(', ') ?? '',
        }}
        label={endpoint ? 'Save' : 'Set endpoint'}
        look={endpoint ? 'plain' : 'main'}
      >
        <Labeled label="URL">
          <input
            class="text"
            name="url"
            type="url"
            required
            value={endpoint?.url}
            placeholder="http://localhost:3000/webhooks"
          />
        </Labeled>
        <Labeled label="Event types">
          <input
            class="text"
            name="events"
            value={endpoint?.events.join(', ')}
            placeholder="*, or refund.*"
          />
        </Labeled>
      </Action>
      {endpoint && <Action view={view} action="removeWebhook" label="Remove endpoint" look="risky" />}
    </Section>
  )
}

type RowsProps = { view: View; events: readonly TesterEvent[]; deliveries: readonly Delivery[] }

export function EventRows({ view: { links, clock }, events, deliveries }: RowsProps) {
  if (events.length === 0) return <p class="soft">None.</p>
  return (
    <ol class="events" data-rows reversed>
      {events.map(({ id, type, timestamp, data }) => (
        <li data-id={id}>
          <a class="type" href={links.event(id)}>
            {type}
          </a>
          <Id id={data.id} links={links} />
          <span class="tries">
            <EventTries deliveries={deliveries.filter(({ eventId }) => eventId === id)} now={clock.now} />
          </span>
          <TimeCell at={timestamp} />
        </li>
      ))}
    </ol>
  )
}

/** One delivery as its attempts; several each under its number, so that a copy is not taken for one more attempt. */
function EventTries({ deliveries, now }: { deliveries: readonly Delivery[]; now: string }) {
  const [only] = deliveries
  if (only === undefined) return <span class="soft">not delivered</span>
  if (deliveries.length === 1) return <Tries delivery={only} now={now} />
  return (
    <>
      <span class="chip event">{sentTimes(deliveries)}</span>
      {deliveries.map((delivery, index) => (
        <span class="copy">
          <span class="soft">{ordinal(index + 1)}:</span> <Tries delivery={delivery} now={now} />
        </span>
      ))}
    </>
  )
}

/** A behavior makes copies at one instant; a tester delivers again later. */
const isCopied = (deliveries: readonly Delivery[]) =>
  deliveries.some(({ createdAt }, index) => index > 0 && createdAt === deliveries[0]!.createdAt)

const sentTimes = (deliveries: readonly Delivery[]): string =>
  isCopied(deliveries)
    ? `duplicated: sent ${deliveries.length === 2 ? 'twice' : `${deliveries.length} times`}`
    : `delivered again: ${counted(deliveries.length, 'delivery', 'deliveries')}`

const ORDINAL = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinal = (number: number) => `${number}${ENDINGS[ORDINAL.select(number)] ?? 'th'}`

/** The statuses of all attempts of one delivery, and when the next one is due. */
export function Tries({
  delivery: { attempts, status, nextAttemptAt },
  now,
}: {
  delivery: Delivery
  now: string
}) {
  return (
    <span class="delivery">
      {runsOf(attempts).map(({ status: answered, error, times }) => (
        <span class={`status ${isDelivered(answered) ? 'good' : 'failed'}`} title={error ?? undefined}>
          {answered ?? 'no answer'}
          {times > 1 && <small> {times} times</small>}
        </span>
      ))}
      {status === 'pending' && nextAttemptAt && (
        <span class="soft">next {untilText(nextAttemptAt, Date.parse(now))}</span>
      )}
      {status === 'failed' && <span class="chip bad">failed</span>}
    </span>
  )
}

/** Attempts that went alike one after another, as one with its count. */
function runsOf(attempts: Delivery['attempts']) {
  const runs: { status: number | null; error: string | null; times: number }[] = []
  for (const { status, error } of attempts) {
    const last = runs.at(-1)
    if (last?.status === status) last.times += 1
    else runs.push({ status, error, times: 1 })
  }
  return runs
}

const isDelivered = (status: number | null) => status !== null && status >= 200 && status < 300

// One event

export interface EventProps {
  view: View
  event: TesterEvent
  /** Its body as it is delivered, to the byte. */
  body: string
  deliveries: readonly Delivery[]
  /** The request that made it; undefined when later work, a buyer or a tester made it. */
  request: string | undefined
}

export function EventDetailPage({ view, event, body, deliveries, request }: EventProps) {
  const { links } = view
  return (
    <DashboardFrame view={view} title={event.type}>
      <header class="title">
        <div>
          <p class="soft">
            <a href={links.page('events')}>Webhooks</a>
          </p>
          <h1>
            <code>{event.type}</code>
          </h1>
        </div>
        <LiveBar view={view} />
        <a class="knob main" href={links.page('timeline', { of: event.data.id })}>
          Timeline
        </a>
      </header>
      <Terms
        terms={[
          { term: 'Event', detail: <code>{event.id}</code> },
          { term: 'Resource', detail: <Id id={event.data.id} links={links} whole /> },
          { term: 'Time', detail: <TimeCell at={event.timestamp} date /> },
          {
            term: 'Caused by',
            detail: request ? (
              <Id id={request} links={links} />
            ) : (
              'not by a request, but by time, a buyer or a tester'
            ),
          },
        ]}
      />
      <Section title="Deliveries" count={deliveries.length} live="deliveries">
        {deliveries.length === 0 && (
          <p class="soft">
            None. There was no <a href={links.page('events')}>endpoint</a> for it at that time.
          </p>
        )}
        {deliveries.length > 1 && (
          <p>
            This event was {sentTimes(deliveries)}. Each has attempts of its own, and all of them the same{' '}
            <code>webhook-id</code>, by which a receiver knows them.
          </p>
        )}
        {deliveries.map((delivery, index) => (
          <DeliveryBlock
            view={view}
            delivery={delivery}
            place={deliveries.length > 1 ? `${ordinal(index + 1)} of ${deliveries.length}` : undefined}
          />
        ))}
      </Section>
      <Section title="Body">
        <JsonView text={body} links={links} label="Body of the event" />
      </Section>
    </DashboardFrame>
  )
}

interface DeliveryBlockProps {
  view: View
  delivery: Delivery
  /** Among all of its event, where there are several. */
  place: string | undefined
}

function DeliveryBlock({ view, delivery, place }: DeliveryBlockProps) {
  const { id, status, attempts, nextAttemptAt } = delivery
  return (
    <article class="delivery-block" id={id}>
      <header>
        <h3>
          {place !== undefined && `${place} `}
          <code>{id}</code>
        </h3>
        <State name={status} />
        {nextAttemptAt && (
          <span class="soft">next attempt {untilText(nextAttemptAt, Date.parse(view.clock.now))}</span>
        )}
      </header>
      {attempts.length === 0 && <p class="soft">Not tried yet.</p>}
      <ol class="attempts">
        {attempts.map((attempt) => (
          <li>
            <p>
              <b>{attempt.number}.</b>{' '}
              {attempt.status === null ? (
                <span class="status failed">×</span>
              ) : (
                <StatusBadge status={attempt.status} />
              )}{' '}
              <code>{attempt.url}</code>
            </p>
            <p class="soft">
              {dateText(Date.parse(attempt.at))} {timeText(Date.parse(attempt.at))} ·{' '}
              {tookText(attempt.durationMs)}
              {attempt.error && ` · ${attempt.error}`}
            </p>
            {attempt.response && (
              <Code label={`Answer to attempt ${attempt.number}`}>{attempt.response}</Code>
            )}
            <details class="curl">
              <summary>signature</summary>
              <code>{attempt.signature}</code>
            </details>
          </li>
        ))}
      </ol>
      <Action view={view} action="redeliver" fields={{ id }} label="Deliver again" />
    </article>
  )
}
