/**
 * What is new, as it happens. A stream watches the journal for as long as a page listens and not longer. It keeps the
 * latest few requests and the number of the others, and hands them on a few times a second, when the page has taken
 * what came before: thousands a second cost it no more than dozens, and it says what it left out.
 */
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { SandboxControl } from '../control/control.ts'
import type { RequestSummary } from '../control/shapes.ts'
import { within } from '../world/clock.ts'
import { ClockBar } from './frame.tsx'
import { ArmedSection, Counts, DueSection, WindowsSection } from './now.tsx'
import { RequestRows } from './request-rows.tsx'
import type { View } from './view.ts'
import { counted } from './words.ts'

/** How often rows are handed on, and how many at most. */
const ROWS_EVERY_MS = 250
const ROWS_MAX = 15
/** How many times as rarely everything else is. */
const PANELS_EVERY = 4

export interface LiveParts {
  control: SandboxControl
  /** The view as it is now. */
  view(): View
  /** The last request that the page shows. */
  after: string | undefined
  /** The simulator closes, or the sandbox is removed. */
  closing: AbortSignal
  isThere(): boolean
}

export function live(c: Context, { control, view, after, closing, isThere }: LiveParts): Response {
  return streamSSE(c, async (stream) => {
    const latest: (() => RequestSummary)[] = []
    let answered = 0
    const unwatch = control.watch((request) => {
      answered += 1
      latest.push(request)
      if (latest.length > ROWS_MAX) latest.shift()
    })
    const over = new Promise<void>((resolve) => {
      stream.onAbort(resolve)
      closing.addEventListener('abort', () => resolve(), { once: true })
      if (closing.aborted) resolve()
    })

    try {
      const missed = after === undefined ? [] : missedSince(control, after)
      if (missed.length > 0) await stream.writeSSE(rowsEvent(missed, missed.length, view()))
      for (let tick = 1; !stream.aborted && !closing.aborted; tick += 1) {
        if (!isThere()) return await stream.writeSSE({ event: 'gone', data: '' })
        const isNew = answered > 0
        if (isNew) {
          const requests = latest.splice(0).map((summarize) => summarize())
          const event = rowsEvent(requests, answered, view())
          answered = 0
          await stream.writeSSE(event)
        }
        if (tick % PANELS_EVERY === 0) await stream.writeSSE(panelsEvent(control, view()))
        await within(ROWS_EVERY_MS, over, undefined)
      }
    } finally {
      unwatch()
    }
  })
}

/** What was answered between the page and its stream. */
const missedSince = (control: SandboxControl, after: string): RequestSummary[] =>
  control.requests({ since: after, limit: ROWS_MAX })

function rowsEvent(requests: readonly RequestSummary[], answered: number, { links }: View) {
  const html = String(<RequestRows requests={requests.toReversed()} links={links} />)
  const leftOut = answered - requests.length
  const text =
    leftOut === 0
      ? 'Live'
      : `${counted(answered, 'request')} at once: the latest ${requests.length} are shown`
  return { event: 'rows', id: requests.at(-1)?.id ?? '', data: JSON.stringify({ html, text }) }
}

function panelsEvent(control: SandboxControl, view: View) {
  const overview = control.overview()
  const panels = {
    clock: <ClockBar view={view} />,
    counts: <Counts view={view} overview={overview} />,
    due: <DueSection view={view} overview={overview} />,
    armed: <ArmedSection view={view} behaviors={control.behaviors()} />,
    windows: <WindowsSection view={view} windows={overview.windows} limit={control.describe().rateLimit} />,
  }
  const written = Object.fromEntries(Object.entries(panels).map(([name, panel]) => [name, String(panel)]))
  return { event: 'swap', data: JSON.stringify(written) }
}
