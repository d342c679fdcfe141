/**
 * What is new, as it happens. A stream watches the journal for as long as a page listens and not longer. It keeps the
 * latest few requests and the number of the others, and hands them on a few times a second, when the page has taken
 * what came before: thousands a second cost it no more than dozens, and it says what it left out.
 */
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { RequestSummary } from '../control/shapes.ts'
import { within } from '../world/clock.ts'
import { ClockBar } from './frame.tsx'
import type { Near } from './gather.ts'
import type { Links } from './links.ts'
import { ArmedSection, Counts, DueSection, WindowsSection } from './now.tsx'
import { RequestRows } from './request-rows.tsx'
import type { View } from './view.ts'
import { counted } from './words.ts'

/** How often rows are handed on, and how many at most. */
const ROWS_EVERY_MS = 250
const ROWS_MAX = 15
/** How many times as rarely everything else is. */
const PANELS_EVERY = 4

export interface LiveParts extends Near {
  /** The view as it is now. */
  view(): View
  /** The last request that the page shows. */
  after: string | undefined
  /** Aborted when the simulator closes. */
  closing: AbortSignal
  /** Whether the sandbox has not been removed. */
  isThere(): boolean
}

export function live(c: Context, { control, inspect, view, after, closing, isThere }: LiveParts): Response {
  return streamSSE(c, async (stream) => {
    const { links } = view()
    const panels = new Panels()
    const latest: (() => RequestSummary)[] = []
    let answered = 0
    const unwatch = inspect.watch((request) => {
      answered += 1
      latest.push(request)
      if (latest.length > ROWS_MAX) latest.shift()
    })
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    stream.onAbort(end)
    closing.addEventListener('abort', end)

    try {
      // What was answered between the page and its stream.
      const missed = after === undefined ? [] : control.requests({ since: after, limit: ROWS_MAX })
      if (missed.length > 0) await stream.writeSSE(rowsEvent(missed, missed.length, links))
      for (let tick = 1; !stream.aborted && !closing.aborted; tick += 1) {
        if (!isThere()) return await stream.writeSSE({ event: 'removed', data: '' })
        if (answered > 0) {
          const requests = latest.splice(0).map((summarize) => summarize())
          const event = rowsEvent(requests, answered, links)
          answered = 0
          await stream.writeSSE(event)
        }
        if (tick % PANELS_EVERY === 0) {
          const changed = panels.changed({ control, inspect }, view())
          if (changed) await stream.writeSSE({ event: 'panels', data: JSON.stringify(changed) })
        }
        await within(ROWS_EVERY_MS, over, undefined)
      }
    } finally {
      unwatch()
      closing.removeEventListener('abort', end)
    }
  })
}

function rowsEvent(requests: readonly RequestSummary[], answered: number, links: Links) {
  const html = String(<RequestRows requests={requests.toReversed()} links={links} />)
  const text =
    answered === requests.length
      ? 'Live'
      : `${counted(answered, 'request')} at once: the latest ${requests.length} are shown`
  return { event: 'rows', id: requests.at(-1)?.id ?? '', data: JSON.stringify({ html, text }) }
}

/** The parts of the page that are drawn anew, and what each looked like when it was last handed on. */
class Panels {
  readonly #shown = new Map<string, string>()

  changed({ control, inspect }: Near, view: View): Record<string, string> | undefined {
    const overview = inspect.overview()
    const changed: Record<string, string> = {}
    const draw = (name: string, panel: unknown, sameAs?: string) => {
      const html = String(panel)
      if (this.#shown.get(name) === (sameAs ?? html)) return
      this.#shown.set(name, sameAs ?? html)
      changed[name] = html
    }
    const { clock, due } = view
    // A running clock ticks by itself.
    const clockLooks = clock.frozen ? undefined : `running ${due?.subject} ${due?.at}`
    draw('clock', <ClockBar view={view} />, clockLooks)
    draw('counts', <Counts view={view} overview={overview} />)
    draw('due', <DueSection view={view} overview={overview} />)
    draw('armed', <ArmedSection view={view} behaviors={control.behaviors()} />)
    const { rateLimit } = control.describe()
    draw('windows', <WindowsSection view={view} windows={overview.windows} limit={rateLimit} />)
    return Object.keys(changed).length > 0 ? changed : undefined
  }
}
