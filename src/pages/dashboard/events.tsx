/** Webhooks: the endpoint, the events, and each delivery with its attempts. */

import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { Delivery, WebhookEndpoint } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Field } from '../form.tsx'
import { Action, AttemptStatus, Id, Section, TimeCell } from './blocks.tsx'
import { List } from './list.tsx'
import { type FilterField, listPage } from './list-page.tsx'
import { attemptRuns, type EventAboutResource, type EventWithDeliveries } from './moments.ts'
import { withDeliveries } from './page-data.ts'
import { ROWS_SHOWN, routeTo } from './page-request.ts'
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
  const { control, view } = request
  const { failing, givenUp } = view.troubled
  return listPage(request, {
    title: 'Webhooks',
    thing: 'event',
    fields: EVENT_FILTERS,
    read({ type, delivery }, cursor) {
      const where = { type, delivery: delivery && STANDINGS[delivery] }
      return control.browse.events({ where, cursor, limit: ROWS_SHOWN })
    },
    show: (events) => (
      <EventList view={view} events={withDeliveries(control, events as readonly EventAboutResource[])} />
    ),
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
        <Field
          name="url"
          label="URL"
          type="url"
          required
          value={endpoint?.url}
          placeholder="http://localhost:3000/webhooks"
        />
        <Field
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

export function EventList({ view, events }: { view: View; events: readonly EventWithDeliveries[] }) {
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
          cell: ({ type, data, deliveries }) => {
            const last = deliveries.at(-1)
            return (
              last &&
              isFailing(last) && (
                <Action
                  view={view}
                  action="redeliver"
                  fields={{ id: last.id }}
                  label="Resend"
                  about={`${type} of ${links.short(data.id)}`}
                />
              )
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
  return (
    <>
      {deliveries.length > 1 && <span class="chip event">{sentTimes(deliveries)}</span>}
      {deliveries.map((delivery, index) => (
        <span>
          {deliveries.length > 1 && <span class="soft">{index + 1}:</span>}{' '}
          <Tries delivery={delivery} now={now} />
        </span>
      ))}
    </>
  )
}

/** How often an event was sent: some copies were made by a behavior, others by a tester. */
export function sentTimes(deliveries: readonly Delivery[]): string {
  const byHand = deliveries.filter(({ isByHand }) => isByHand).length
  const copies = deliveries.length - byHand
  return [
    ...(copies > 1 ? [`duplicated: sent ${copies} times`] : []),
    ...(byHand > 0 ? [byHand === 1 ? 'resent' : `resent ${byHand} times`] : []),
  ].join(', ')
}

/** The statuses of all attempts of a delivery, and when the next one is due. */
function Tries({ delivery, now }: { delivery: Delivery; now: string }) {
  const { status, nextAttemptAt } = delivery
  return (
    <span class="delivery">
      {attemptRuns(delivery).map((run) => (
        <AttemptStatus {...run[0]!} count={run.length} />
      ))}
      {status === 'pending' && nextAttemptAt && (
        <span class="soft">
          <span class="hidden-text">next</span> {untilText(nextAttemptAt, Date.parse(now))}
        </span>
      )}
      {status === 'failed' && <span class="chip wait">given up</span>}
    </span>
  )
}
