/** What happened to a resource: its timeline, its webhooks and its messages. */
import type { SandboxControl } from '../../tester/control/control.ts'
import { Section } from './blocks.tsx'
import { EventList } from './events.tsx'
import type { EventAboutResource } from './moments.ts'
import { sentencesOf } from './order-sentences.tsx'
import { MessageList } from './outbox.tsx'
import { EVENTS_MAX, idsAround, TIMELINE_REQUESTS_MAX, timelineOf, withDeliveries } from './page-data.ts'
import { Timeline } from './timeline.tsx'
import type { View } from './view.ts'

/** The most messages about each resource. */
const MESSAGES_MAX = 20

/** Also what happened to the refunds and the like that belong to it. Webhooks and messages: newest first. */
export function happenedTo(control: SandboxControl, id: string) {
  const ids = idsAround(control, id)
  const about = control.browse.eventsAbout(ids, EVENTS_MAX) as EventAboutResource[]
  const events = withDeliveries(control, about)
  return {
    sentences: sentencesOf(control, id),
    ...timelineOf(control, id, ids, events),
    events: events.toReversed(),
    messages: ids
      .flatMap((relatedId) => control.browse.messages({ where: { relatedId }, limit: MESSAGES_MAX }).data)
      .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)),
  }
}

export type HappenedProps = ReturnType<typeof happenedTo> & { view: View }

export function Happened({ view, timeline, cut, events, messages }: HappenedProps) {
  return (
    <>
      <Section
        title="What happened"
        id="happened"
        none={timeline.moments.length === 0 && 'No request in the journal and no event names it.'}
      >
        {cut && <p class="soft">The latest {TIMELINE_REQUESTS_MAX} requests about it are shown.</p>}
        <Timeline {...timeline} links={view.links} />
      </Section>
      <Section title="Webhooks" count={events.length} none={events.length === 0 && 'None.'}>
        <EventList view={view} events={events} />
      </Section>
      {messages.length > 0 && (
        <Section title="Messages" count={messages.length}>
          <MessageList view={view} messages={messages} />
        </Section>
      )}
    </>
  )
}
