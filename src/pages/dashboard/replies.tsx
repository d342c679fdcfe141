/** The pages about all other data of a sandbox. */
import { listOfKind } from '../../spec/contract/endpoints.ts'
import type { EventAboutResource } from './build-timeline.ts'
import { EventDetailPage, EventsPage, STANDINGS } from './events.tsx'
import { KINDS } from './kinds.ts'
import { causeOf, deliveriesOf, eventsAbout, listResources, relatedLists } from './page-data.ts'
import { chosenOf, FEW_ROWS_SHOWN, inPath, type PageRequest, type Reply, ROWS_SHOWN } from './page-request.ts'
import { ListPage, ResourcePage } from './resources.tsx'

export function resourcesReply({ c, control, view }: PageRequest): Reply {
  const what = inPath(c, 'what')
  const kind = KINDS.find(({ page }) => page === what)
  if (kind) {
    const { cursor, ...filter } = chosenOf(c, Object.keys(c.req.query()))
    const { data, nextCursor } = listResources(control, listOfKind(kind.name), {
      ...filter,
      ...(cursor && { cursor }),
      limit: String(ROWS_SHOWN),
    })
    return {
      page: (
        <ListPage
          view={view}
          kind={kind}
          rows={data}
          query={{ ...filter, cursor }}
          nextCursor={nextCursor}
          found={control.browse.countListed(kind.name, filter)}
        />
      ),
    }
  }
  const found = control.resource(what)
  const events = eventsAbout(control, what).reverse()
  return {
    page: (
      <ResourcePage
        view={view}
        found={found}
        related={relatedLists(control, found)}
        events={events}
        deliveries={deliveriesOf(control, events)}
        requests={control.requests({ resource: what, limit: FEW_ROWS_SHOWN }).reverse()}
        messages={control.browse.messages({ where: { relatedId: what }, limit: FEW_ROWS_SHOWN }).data}
      />
    ),
  }
}

export function eventsReply({ c, control, view }: PageRequest): Reply {
  const { cursor, type, delivery } = chosenOf(c, ['cursor', 'type', 'delivery'])
  const { data, ...part } = control.browse.events({
    where: { type, delivery: delivery && (STANDINGS[delivery] ?? delivery) },
    cursor,
    limit: ROWS_SHOWN,
  })
  const shown = data as EventAboutResource[]
  return {
    page: (
      <EventsPage
        view={view}
        endpoint={control.webhook.get()}
        events={shown}
        deliveries={deliveriesOf(control, shown)}
        {...part}
        query={{ type, delivery, cursor }}
      />
    ),
  }
}

export function eventReply({ c, control, view }: PageRequest): Reply {
  const id = inPath(c, 'id')
  const event = control.browse.event(id) as EventAboutResource
  return {
    page: (
      <EventDetailPage
        view={view}
        event={event}
        body={control.read('events.get', { id })}
        deliveries={deliveriesOf(control, [event])}
        request={causeOf(control, event)}
      />
    ),
  }
}

/** A delivery is shown with its event. */
export function deliveryReply({ c, control, view }: PageRequest): Reply {
  const id = inPath(c, 'id')
  const eventId = control.browse.eventOfDelivery(id)
  return { to: eventId ? `${view.links.event(eventId)}#${id}` : view.links.page('webhooks') }
}
