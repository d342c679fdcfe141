/**
 * The one mechanism by which pages follow what happens. A stream says that something changed, four times a second at most, and
 * the page's script asks for the page again and puts in the parts that differ. So each list is drawn in one place and keeps
 * its filters, and 5,000 requests a second cost no more than a page twice a second. Nothing is watched while no page is open.
 */
import type { Child } from 'hono/jsx'
import { streamSSE } from 'hono/streaming'
import { within } from '../../spec/world/clock.ts'
import type { SandboxControl, Sandboxes } from '../../tester/control/control.ts'
import { Icon } from '../icons.tsx'
import type { LiveEvent } from './live-events.ts'
import type { PageRequest } from './page-request.ts'
import type { View } from './view.ts'
import { stateShown } from './view-of.ts'

const LOOK_EVERY_MS = 250

export function liveReply({ c, control, dashboard: { sandboxes, shadow, closing } }: PageRequest): Response {
  // What the page shows.
  const shown = c.req.header('last-event-id') ?? c.req.query('shown')
  return streamSSE(c, async (stream) => {
    const say = (event: LiveEvent, id = '') => stream.writeSSE({ event, id, data: '' })
    let known = shown
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    // An open stream is seen in the journal's number of watchers.
    const unwatch = control.watch(() => {})
    stream.onAbort(end)
    closing.addEventListener('abort', end)
    try {
      while (!stream.aborted && !closing.aborted) {
        if (!isStillThere(control, sandboxes)) return await say('removed')
        const present = stateShown(control, shadow)
        if (present !== known) {
          known = present
          await say('changed', present)
        }
        await within(LOOK_EVERY_MS, over, undefined)
      }
    } finally {
      unwatch()
      closing.removeEventListener('abort', end)
    }
  })
}

/** It was not removed, nor removed and made anew. */
function isStillThere(control: SandboxControl, sandboxes: Sandboxes): boolean {
  try {
    return sandboxes.find(control.name) === control
  } catch {
    return false
  }
}

/** What a page that follows has once: whether it does, the button that stops it, and the one that shows what is new. */
export function LiveBar({ view: { links, state } }: { view: View }) {
  return (
    <div class="live" data-live={links.page('live', { shown: state })} data-state="still">
      <p class="soft small" data-status />
      <button class="knob" type="button" aria-pressed="false" data-pause hidden>
        <Icon name="pause" size={16} />
        Pause
      </button>
      <button class="knob main" type="button" data-show hidden>
        Show
      </button>
    </div>
  )
}

interface LiveListProps {
  name: string
  count?: number
  isOne?: boolean
  children?: Child
}

/**
 * A part of a page that is replaced unless it is being read. Rows are the children of the element with `data-rows` and are
 * told apart by `data-id`; a list without rows, or that is one thing with rows in it, is replaced as a whole. `count`: how
 * many there are in all.
 */
export function LiveList({ name, count, isOne, children }: LiveListProps) {
  return (
    <div class="live-list" data-list={name} data-count={count} data-one={isOne && ''}>
      {children}
    </div>
  )
}
