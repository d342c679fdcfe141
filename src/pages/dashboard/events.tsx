/** Webhooks: the endpoint, the events, and each delivery with its attempts. */

import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { Delivery, WebhookEndpoint } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Action, Empty, Id, Section, TimeCell } from './blocks.tsx'
import type { EventAboutResource } from './build-timeline.ts'
import { LabeledField } from './fields.tsx'
import { type FilterField, requireChoices, withoutMistakes } from './filter.tsx'
import { ByDay, ListFrame } from './list-frame.tsx'
import { type EventWithDeliveries, withDeliveries } from './page-data.ts'
import { chosenOf, pageRoute, ROWS_SHOWN } from './page-request.ts'
import { countText, runsOf, untilText } from './text.ts'
import { isTaken } from './timeline-model.ts'
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
  { name: 'delivery', label: 'Delivery', options: Object.keys(STANDINGS), isTab: true },
]

export const webhooksPage = pageRoute({
  path: '/webhooks',
  async load({ c, control }) {
    const { cursor, ...query } = chosenOf(c, ['cursor', 'type', 'delivery'])
    const { read, ...outcome } = await withoutMistakes(query, (chosen) => {
      requireChoices(EVENT_FILTERS, chosen)
      const { type, delivery } = chosen
      const where = { type, delivery: delivery && STANDINGS[delivery] }
      return control.browse.events({ where, cursor, limit: ROWS_SHOWN })
    })
    const { data, ...part } = read
    return {
      ...part,
      ...outcome,
      events: withDeliveries(control, data as EventAboutResource[]),
      endpoint: control.webhook.get(),
      query: { ...query, cursor },
    }
  },
  view: (view, { endpoint, events, ...list }) => (
    <ListFrame
      view={view}
      title="Webhooks"
      fields={EVENT_FILTERS}
      thing="event"
      {...list}
      empty={
        <Empty title="No events yet">
          <p>
            An event is sent each time a resource is created or changes state. It is signed and delivered to
            the endpoint. A failed delivery is retried.
          </p>
        </Empty>
      }
      tabs={<Standings view={view} {...list.query} />}
      links={<ResendAll view={view} />}
      aside={<EndpointSection view={view} endpoint={endpoint} />}
    >
      {events.length > 0 && <EventRows view={view} events={events} />}
    </ListFrame>
  ),
})

type StandingsProps = { view: View; type?: string; delivery?: string }

function Standings({ view: { links, troubled }, type, delivery }: StandingsProps) {
  const tabs = [
    { value: undefined, label: 'All' },
    { value: 'delivered', label: 'Delivered' },
    { value: 'failing', label: 'Failing', count: troubled.failing },
    { value: 'given-up', label: 'Given up', count: troubled.givenUp },
  ]
  return (
    <nav class="tabs" aria-label="How they stand">
      {tabs.map(({ value, label, count }) => (
        <a
          href={links.page('webhooks', { ...(type && { type }), ...(value && { delivery: value }) })}
          aria-current={delivery === value ? 'page' : undefined}
        >
          {label}
          {count && count.count > 0 && <span class="count failed"> {countText(count)}</span>}
        </a>
      ))}
    </nav>
  )
}

function ResendAll({ view }: { view: View }) {
  const { failing, givenUp } = view.troubled
  if (failing.count + givenUp.count === 0) return null
  return <Action view={view} action="redeliverFailed" label="Resend all failing" icon="send" look="main" />
}

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
        action="setWebhook"
        label={endpoint ? 'Save' : 'Set endpoint'}
        look={endpoint ? 'plain' : 'main'}
      >
        <LabeledField
          name="url"
          label="URL"
          type="url"
          required
          value={endpoint?.url}
          placeholder="http://localhost:3000/webhooks"
        />
        <LabeledField
          name="events"
          label="Event types"
          value={endpoint?.events.join(', ')}
          placeholder="*, or refund.*"
        />
      </Action>
      {endpoint && <Action view={view} action="removeWebhook" label="Remove endpoint" />}
    </Section>
  )
}

export const EventRows = ({ view, events }: { view: View; events: readonly EventWithDeliveries[] }) => (
  <ByDay look="events" rows={events} atOf={({ timestamp }) => timestamp}>
    {(event) => <EventRow view={view} event={event} />}
  </ByDay>
)

function EventRow({ view, event }: { view: View; event: EventWithDeliveries }) {
  const { links, clock } = view
  const { id, type, timestamp, data, deliveries } = event
  const last = deliveries.at(-1)
  const order = links.orderName(id)
  return (
    <li id={id} data-id={id}>
      <a class="type" href={links.any(id)}>
        {order !== undefined && <b>{order} </b>}
        <code>{type}</code>
      </a>
      <Id id={data.id} links={links} />
      <div class="tries">
        <EventTries deliveries={deliveries} now={clock.now} />
        {last && isFailing(last) && (
          <Action
            view={view}
            action="redeliver"
            fields={{ id: last.id }}
            label="Resend"
            about={`${type} of ${links.short(data.id)}`}
          />
        )}
      </div>
      <TimeCell at={timestamp} />
    </li>
  )
}

/** The attempts of each delivery; several deliveries are numbered, so that a copy does not look like another attempt. */
function EventTries({ deliveries, now }: { deliveries: readonly Delivery[]; now: string }) {
  const [only] = deliveries
  if (only === undefined) return <span class="soft">not delivered</span>
  if (deliveries.length === 1) return <Tries delivery={only} now={now} />
  return (
    <>
      <span class="chip event">{sentTimes(deliveries)}</span>
      {deliveries.map((delivery, index) => (
        <span>
          <span class="soft">{ordinal(index + 1)}:</span> <Tries delivery={delivery} now={now} />
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
    copies === 2 ? ['duplicated: sent twice'] : copies > 2 ? [`duplicated: sent ${copies} times`] : [],
    byHand > 0 ? [byHand === 1 ? 'resent' : `resent ${byHand} times`] : [],
  ]
    .flat()
    .join(', ')
}

const ORDINAL = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
export const ordinal = (number: number) => `${number}${ENDINGS[ORDINAL.select(number)] ?? 'th'}`

/** The statuses of all attempts of one delivery, and when the next one is due. */
export function Tries({ delivery, now }: { delivery: Delivery; now: string }) {
  const { attempts, status, nextAttemptAt } = delivery
  return (
    <span class="delivery">
      {runsOf(attempts, wentAlike).map((run) => {
        const { status: answered, error } = run[0]!
        return (
          <span class={`status ${isTaken(answered) ? 'good' : 'failed'}`} title={error ?? undefined}>
            {answered ?? 'no answer'}
            {run.length > 1 && ` ×${run.length}`}
          </span>
        )
      })}
      {status === 'pending' && nextAttemptAt && (
        <span class="soft">
          <span class="hidden-text">next</span> {untilText(nextAttemptAt, Date.parse(now))}
        </span>
      )}
      {status === 'failed' && <span class="chip wait">given up</span>}
    </span>
  )
}

type AttemptMade = Delivery['attempts'][number]

const wentAlike = (one: AttemptMade, other: AttemptMade): boolean =>
  one.status === other.status && one.error === other.error && one.response === other.response
