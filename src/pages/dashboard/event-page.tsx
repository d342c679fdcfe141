/** One event, with each delivery and its attempts. */
import { tookText } from '../../spec/contract/duration.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Delivery } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Action, AttemptStatus, Code, Id, Section, State, TimeCell } from './blocks.tsx'
import { sentTimes } from './events.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import { List } from './list.tsx'
import type { EventAboutResource } from './moments.ts'
import { TIMELINE_REQUESTS_MAX } from './page-data.ts'
import { inPath, routeTo } from './page-request.ts'
import { untilText } from './text.ts'
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
export const deliveryLink = routeTo('/deliveries/:id', ({ c, control, view }) => {
  const id = inPath(c, 'id')
  const eventId = control.browse.eventOfDelivery(id)
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
