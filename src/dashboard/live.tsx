/**
 * The event stream of an open page: new requests, and the parts of the page that changed. It watches the
 * journal only while the page is connected. It keeps the latest requests and counts the others, and sends them four times a
 * second, after the page has read what was sent before. So 5,000 requests a second cost it no more than 60.
 */
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { SandboxControl } from '../control/control.ts'
import type { RequestSummary } from '../control/shapes.ts'
import type { ShadowList } from '../shadow/shadow-list.ts'
import { within } from '../world/clock.ts'
import { ClockBar } from './frame.tsx'
import { HeatStrip } from './heat-strip.tsx'
import type { Links } from './links.ts'
import type { NewRows, PanelHtml } from './live-events.ts'
import { ArmedSection, Counts, DueSection, WindowsSection } from './overview-page.tsx'
import { RequestRows } from './request-rows.tsx'
import { RealServiceList } from './shadow-exchanges.tsx'
import { counted } from './text.ts'
import type { View } from './view.ts'

/** How often rows are sent, and how many at most. */
const ROWS_EVERY_MS = 250
const ROWS_MAX = 15
/** Panels are sent with every fourth tick only, as they are read from the database. */
const PANELS_EVERY = 4

export interface LiveParts {
  control: SandboxControl
  /** The view as it is now. */
  view(): View
  shadow: ShadowList | undefined
  /** The last request that the page shows. */
  after: string | undefined
  /** Aborted when the simulator closes. */
  closing: AbortSignal
  /** Whether the sandbox has not been removed. */
  isThere(): boolean
}

export function live(c: Context, { control, view, shadow, after, closing, isThere }: LiveParts): Response {
  return streamSSE(c, async (stream) => {
    const { links } = view()
    const panels = new Panels()
    const latest: (() => RequestSummary)[] = []
    let answered = 0
    const unwatch = control.watch((request) => {
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
      // Requests that were answered after the page was rendered and before the stream began.
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
          const changed = panels.changed(control, view(), shadow)
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
      : `${counted(answered, 'request')} came at once. The latest ${requests.length} are shown.`
  return {
    event: 'rows',
    id: requests.at(-1)?.id ?? '',
    data: JSON.stringify({ html, text } satisfies NewRows),
  }
}

/** Renders the parts of the page that can change, and remembers what was sent, so that a part is sent only when it changed. */
class Panels {
  readonly #shown = new Map<string, string>()

  changed(control: SandboxControl, view: View, shadow: ShadowList | undefined): PanelHtml | undefined {
    const overview = control.overview()
    const changed: PanelHtml = {}
    const draw = (name: string, panel: unknown, sameAs?: string) => {
      if (sameAs !== undefined && this.#shown.get(name) === sameAs) return
      const html = String(panel)
      if (this.#shown.get(name) === (sameAs ?? html)) return
      this.#shown.set(name, sameAs ?? html)
      changed[name] = html
    }
    const { clock, due } = view
    // The page's script moves a running clock.
    const clockLooks = clock.frozen ? undefined : `running ${due?.subject} ${due?.at}`
    draw('clock', <ClockBar view={view} />, clockLooks)
    draw('heat', <HeatStrip view={view} minutes={overview.lastHour} />)
    draw('counts', <Counts view={view} overview={overview} />)
    draw('due', <DueSection view={view} overview={overview} />)
    draw('armed', <ArmedSection view={view} behaviors={control.behaviors()} />)
    const { rateLimit } = control.describe()
    draw('windows', <WindowsSection view={view} windows={overview.windows} limit={rateLimit} />)
    if (shadow)
      draw('real-service', <RealServiceList view={view} list={shadow} />, `${shadow.count} requests`)
    return Object.keys(changed).length > 0 ? changed : undefined
  }
}
