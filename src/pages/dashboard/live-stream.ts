/**
 * How pages update themselves. A stream reports changes, twice a second at most, and the page's script requests the page
 * again and replaces the parts that differ. Each list is thus rendered in one place and keeps its filters, and 5,000 requests a
 * second cost no more than a page twice a second. Nothing is watched while no page is open.
 */
import { streamSSE } from 'hono/streaming'
import { within } from '../../spec/world/clock.ts'
import type { SandboxControl, Sandboxes } from '../../tester/control/control.ts'
import type { LiveEvent } from './live-events.ts'
import { type PageRequest, routeTo } from './page-request.ts'

const LOOK_EVERY_MS = 500

export const liveStream = routeTo('/live', follow)

function follow({ c, control, browse, dashboard: { sandboxes, closing } }: PageRequest): Response {
  // The state that the page already shows.
  const shown = c.req.header('last-event-id') ?? c.req.query('shown')
  return streamSSE(c, async (stream) => {
    const say = (event: LiveEvent, id = '') => stream.writeSSE({ event, id, data: '' })
    let known = shown
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    // A no-op watcher: the journal's count of watchers shows how many streams are open.
    const unwatch = control.watch(() => {})
    stream.onAbort(end)
    closing.addEventListener('abort', end)
    try {
      while (!stream.aborted && !closing.aborted) {
        if (!isStillThere(control, sandboxes)) return await say('removed')
        const present = browse.state
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

/** Whether it is still the same sandbox: neither removed, nor replaced by a new one of its name. */
function isStillThere(control: SandboxControl, sandboxes: Sandboxes): boolean {
  try {
    return sandboxes.find(control.name) === control
  } catch {
    return false
  }
}
