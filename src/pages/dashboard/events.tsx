/** Webhooks: the endpoint, the list of events, and the page of an event with each delivery and its attempts. */

import { tookText } from '../../spec/contract/duration.ts'
import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { ShownEvent } from '../../tester/control/browse.ts'
import type { Delivery, WebhookEndpoint } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Action, ActionField, AttemptStatus, Code, Id, Section, State, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import { List } from './list.tsx'
import { type FilterField, listPage } from './list-page.tsx'
import { attemptRuns } from './moments.ts'
import { inPath, ROWS_SHOWN, routeTo } from './page-request.ts'
import { untilText } from './text.ts'
import type { View } from './view.ts'

/** The delivery standings selected by an address. */
const STANDINGS: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  pending: 'pending',
  failing: 'failing',
  'given-up': 'failed',
  failed: 'failing failed',
}

const EVENT_FILTERS: readonly FilterField[] = [
  { name: 'type', label: 'Type', options: EVENT_TYPES },
  { name: 'delivery', label: 'Delivery', options: Object.keys(STANDINGS) },
]

export const webhooksPage = routeTo('/webhooks', (request) => {
  const { control, browse, view } = request
  const { failing, givenUp } = view.troubled
  return listPage(request, {
    title: 'Webhooks',
    thing: 'event',
    fields: EVENT_FILTERS,
    read({ type, delivery }, cursor) {
      const where = { type, delivery: delivery && STANDINGS[delivery] }
      return browse.events({ where, cursor, limit: ROWS_SHOWN })
    },
    show: (events) => <EventList view={view} events={events} />,
    empty: (
      <p>
        An event is sent each time a resource is created or changes state. It is signed and delivered to the
        endpoint. A failed delivery is retried.
      </p>
    ),
    links: failing.count + givenUp.count > 0 && (
      <Action view={view} action="redeliverFailed" label="Resend all failing" icon="send" look="main" />
    ),
    aside: <EndpointSection view={view} endpoint={control.webhook.get()} />,
  })
})

/** A delivery whose last attempt has failed. */
const isFailing = ({ status, attempts }: Delivery) =>
  status === 'failed' || (status === 'pending' && attempts.length > 0)

function EndpointSection({ view, endpoint }: { view: View; endpoint: WebhookEndpoint | null }) {
  return (
    <Section title="Endpoint">
      {endpoint ? (
        <Terms
          terms={[
            ['URL', <code>{endpoint.url}</code>],
            ['Events', endpoint.events.join(', ')],
            ...(endpoint.disabledAt
              ? [['Disabled', `The receiver answered 410 at ${endpoint.disabledAt}.`] as const]
              : []),
          ]}
        />
      ) : (
        <p class="soft">There is no endpoint. Events are stored, but not delivered.</p>
      )}
      <Action
        view={view}
        action="webhook.put"
        label={endpoint ? 'Save' : 'Set endpoint'}
        look={endpoint ? 'plain' : 'main'}
      >
        <ActionField
          name="url"
          label="URL"
          type="url"
          required
          value={endpoint?.url}
          placeholder="http://localhost:3000/webhooks"
        />
        <ActionField
          name="events"
          label="Event types"
          value={endpoint?.events.join(', ')}
          placeholder="*, or refund.*"
        />
      </Action>
      {endpoint && <Action view={view} action="webhook.remove" label="Remove endpoint" />}
    </Section>
  )
}

export function EventList({ view, events }: { view: View; events: readonly ShownEvent[] }) {
  const { links, clock } = view
  return (
    <List
      name="Events"
      rows={events}
      idOf={({ id }) => id}
      atOf={({ timestamp }) => timestamp}
      columns={[
        {
          label: 'event',
          class: 'wide',
          cell: ({ id, type }) => (
            <a class="plain event-name event" href={links.any(id)}>
              {links.orderName(id) !== undefined && <b>{links.orderName(id)} </b>}
              <code>{type}</code>
            </a>
          ),
        },
        { label: 'resource', class: 'whole', cell: ({ data }) => <Id id={data.id} links={links} /> },
        {
          label: 'deliveries',
          class: 'wide',
          cell: ({ deliveries }) => <EventTries deliveries={deliveries} now={clock.now} />,
        },
        {
          label: 'resend',
          cell({ type, data, deliveries }) {
            const last = deliveries.at(-1)
            if (!last || !isFailing(last)) return null
            return (
              <Action
                view={view}
                action="redeliver"
                fields={{ id: last.id }}
                label="Resend"
                about={`${type} of ${links.short(data.id)}`}
              />
            )
          },
        },
        { label: 'time', cell: ({ timestamp }) => <TimeCell at={timestamp} /> },
      ]}
    />
  )
}

/** The attempts of each delivery, and how often the event was sent. */
function EventTries({ deliveries, now }: { deliveries: readonly Delivery[]; now: string }) {
  if (deliveries.length === 0) return <span class="soft">not delivered</span>
  const isOne = deliveries.length === 1
  return (
    <>
      {!isOne && <span class="chip event">{sentTimes(deliveries)}</span>}
      {deliveries.map((delivery, index) => (
        <span class="delivery">
          {!isOne && <span class="soft">{index + 1}:</span>}
          {attemptRuns(delivery).map((run) => (
            <AttemptStatus {...run[0]!} count={run.length} />
          ))}
          {delivery.nextAttemptAt && (
            <span class="soft">
              <span class="hidden-text">next</span> {untilText(delivery.nextAttemptAt, Date.parse(now))}
            </span>
          )}
          {delivery.status === 'failed' && <span class="chip wait">given up</span>}
        </span>
      ))}
    </>
  )
}

/** How often an event was sent: some copies were made by a behavior, others by a tester. */
function sentTimes(deliveries: readonly Delivery[]): string {
  const byHand = deliveries.filter(({ isByHand }) => isByHand).length
  const copies = deliveries.length - byHand
  return [
    ...(copies > 1 ? [`duplicated: sent ${copies} times`] : []),
    ...(byHand > 0 ? [byHand === 1 ? 'resent' : `resent ${byHand} times`] : []),
  ].join(', ')
}

// One event

export const eventPage = routeTo('/events/:id', ({ c, control, browse, view }) => {
  const { links } = view
  const id = inPath(c, 'id')
  const event = browse.event(id)
  const { deliveries, request } = event
  const last = deliveries.at(-1)
  const order = links.orderName(id)
  const page = (
    <DashboardFrame
      view={view}
      title={event.type}
      heading={
        <>
          {order !== undefined && `${order} · `}
          <code>{event.type}</code>
        </>
      }
      above={<a href={links.page('webhooks')}>Webhooks</a>}
      isLive
    >
      {last && (
        <Action
          view={view}
          action="redeliver"
          fields={{ id: last.id }}
          label="Resend"
          icon="send"
          look="main"
        />
      )}
      <Terms
        terms={[
          ['Event', <code>{event.id}</code>],
          ['Resource', <Id id={event.data.id} links={links} whole />],
          ['Time', <TimeCell at={event.timestamp} date />],
          [
            'Caused by',
            request ? (
              <Id id={request} links={links} />
            ) : (
              'not a journaled request: the clock, a buyer, a tester, or a request no longer in the journal'
            ),
          ],
        ]}
      />
      {deliveries.length === 0 && (
        <p class="soft">
          Not delivered. There was no <a href={links.page('webhooks')}>endpoint</a> for it at that time.
        </p>
      )}
      {deliveries.length > 1 && (
        <p>
          {deliveries.length} deliveries: {sentTimes(deliveries)}. Each is retried separately. All have the
          same <code>webhook-id</code>, so a receiver can recognize them.
        </p>
      )}
      {deliveries.map((delivery, index) => (
        <DeliverySection
          view={view}
          delivery={delivery}
          title={deliveries.length > 1 ? `Delivery ${index + 1} of ${deliveries.length}` : 'Delivery'}
        />
      ))}
      <Section title="Body">
        <JsonView text={control.read('events.get', { id })} links={links} label="Body of the event" />
      </Section>
    </DashboardFrame>
  )
  return { page }
})

/** A delivery is shown with its event. */
export const deliveryLink = routeTo('/deliveries/:id', ({ c, browse, view }) => {
  const id = inPath(c, 'id')
  const eventId = browse.eventOfDelivery(id)
  return { to: eventId ? `${view.links.any(eventId)}#${id}` : view.links.page('webhooks') }
})

function DeliverySection({ view, delivery, title }: { view: View; delivery: Delivery; title: string }) {
  const { id, status, attempts, nextAttemptAt } = delivery
  const standing = (
    <>
      <code>{id}</code>
      <State name={status === 'failed' ? 'given up' : status} tone={status} />
      {nextAttemptAt && (
        <span class="soft">next attempt {untilText(nextAttemptAt, Date.parse(view.clock.now))}</span>
      )}
    </>
  )
  return (
    <Section id={id} title={title} aside={standing} none={attempts.length === 0 && 'Not tried yet.'}>
      <List
        name="Attempts"
        rows={attempts}
        columns={[
          {
            label: 'status',
            class: 'whole',
            cell: ({ status }) => <AttemptStatus status={status} />,
          },
          {
            label: 'receiver',
            class: 'long',
            cell: ({ number, url, error, response }) => (
              <>
                <code>{url}</code>
                {error && <p class="soft">{error}</p>}
                {response && <Code label={`Response to attempt ${number}`}>{response}</Code>}
              </>
            ),
          },
          {
            label: 'signature',
            class: 'long',
            cell: ({ signature }) => <code class="soft">{signature}</code>,
          },
          { label: 'time', cell: ({ at }) => <TimeCell at={at} date /> },
          { label: 'took', class: 'number soft', cell: ({ durationMs }) => tookText(durationMs) },
        ]}
      />
    </Section>
  )
}
