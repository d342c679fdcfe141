/** What happened to a resource: its timeline, its webhooks and its messages. */
import { type Browse, REQUESTS_AROUND_MAX } from '../../tester/control/browse.ts'
import { Section } from './blocks.tsx'
import { EventList } from './events.tsx'
import { momentsOf } from './moments.ts'
import { doubledIn, sentencesOf } from './order-sentences.tsx'
import { MessageList } from './outbox.tsx'
import { Timeline } from './timeline.tsx'
import type { View } from './view.ts'

/** Also what happened to the refunds and the like that belong to it. Webhooks and messages: newest first. */
export function happenedTo(browse: Browse, id: string) {
  const { requests, cut, backgroundResults, events, messages } = browse.around(id)
  return {
    sentences: sentencesOf(browse, id),
    timeline: {
      subject: id,
      moments: momentsOf({ requests, events, backgroundResults }),
      again: doubledIn(browse),
    },
    cut,
    events: events.toReversed(),
    messages,
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
        {cut && <p class="soft">The latest {REQUESTS_AROUND_MAX} requests about it are shown.</p>}
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
