/** One event, with each delivery and its attempts. */
import { tookText } from '../../spec/contract/duration.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Delivery } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Action, Code, Id, Section, State, StatusBadge, TimeCell } from './blocks.tsx'
import { sentTimes } from './events.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import type { EventAboutResource } from './moments.ts'
import { TIMELINE_REQUESTS_MAX } from './page-data.ts'
import { inPath, routeTo } from './page-request.ts'
import { dateText, timeText, untilText } from './text.ts'
import type { View } from './view.ts'

/** The request behind an event; undefined for later work, a buyer's or a tester's act. */
const causeOf = (control: SandboxControl, event: EventAboutResource): string | undefined =>
  control
    .requests({ resource: event.data.id, limit: TIMELINE_REQUESTS_MAX })
    .find(({ id }) => control.request(id).events.some(({ id: made }) => made === event.id))?.id

export const eventPage = routeTo('/events/:id', ({ c, control, view }) => {
  const { links } = view
  const id = inPath(c, 'id')
  const event = control.browse.event(id) as EventAboutResource
  const deliveries = control.deliveries({ eventId: id })
  const request = causeOf(control, event)
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
      <Section title="Deliveries" count={deliveries.length}>
        {deliveries.length === 0 && (
          <p class="soft">
            None. There was no <a href={links.page('webhooks')}>endpoint</a> for it at that time.
          </p>
        )}
        {deliveries.length > 1 && (
          <p>
            {deliveries.length} deliveries: {sentTimes(deliveries)}. Each is retried by itself. All have the
            same <code>webhook-id</code>, so a receiver can recognize them.
          </p>
        )}
        {deliveries.map((delivery, index) => (
          <DeliveryBlock
            view={view}
            delivery={delivery}
            place={deliveries.length > 1 ? `${index + 1} of ${deliveries.length}` : undefined}
          />
        ))}
      </Section>
      <Section title="Body">
        <JsonView text={control.read('events.get', { id })} links={links} label="Body of the event" />
      </Section>
    </DashboardFrame>
  )
  return { page }
})

/** A delivery is shown with its event. */
export const deliveryLink = routeTo('/deliveries/:id', ({ c, control, view }) => {
  const id = inPath(c, 'id')
  const eventId = control.browse.eventOfDelivery(id)
  return { to: eventId ? `${view.links.any(eventId)}#${id}` : view.links.page('webhooks') }
})

function Attempt({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { number, status, url, at, durationMs, error, response, signature } = attempt
  return (
    <>
      <p>
        <b>{number}.</b>{' '}
        {status === null ? <span class="status failed">×</span> : <StatusBadge status={status} />}{' '}
        <code>{url}</code>
      </p>
      <p class="soft">
        {dateText(Date.parse(at))} {timeText(Date.parse(at))} · {tookText(durationMs)}
        {error && ` · ${error}`}
      </p>
      {response && <Code label={`Answer to attempt ${number}`}>{response}</Code>}
      <details class="curl">
        <summary>signature</summary>
        <code>{signature}</code>
      </details>
    </>
  )
}

/** `place`: its number among the event's deliveries, if there are several. */
type DeliveryProps = { view: View; delivery: Delivery; place: string | undefined }

function DeliveryBlock({ view, delivery, place }: DeliveryProps) {
  const { id, status, attempts, nextAttemptAt } = delivery
  return (
    <article class="delivery-block" id={id}>
      <header class="wrap">
        <h3>
          {place !== undefined && `${place} `}
          <code>{id}</code>
        </h3>
        <State name={status === 'failed' ? 'given up' : status} tone={status} />
        {nextAttemptAt && (
          <span class="soft">next attempt {untilText(nextAttemptAt, Date.parse(view.clock.now))}</span>
        )}
      </header>
      {attempts.length === 0 && <p class="soft">Not tried yet.</p>}
      <ol class="items">
        {attempts.map((attempt) => (
          <li>
            <div>
              <Attempt attempt={attempt} />
            </div>
          </li>
        ))}
      </ol>
    </article>
  )
}
