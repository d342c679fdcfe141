/**
 * Lets the clock tick and puts in what the server sends. The server renders that HTML with the components of the page, so
 * escaping is done in one place, on the server.
 */
import type { NewRows, PanelHtml } from '../live-events.ts'

const TICK_MS = 250
/** More rows than this would slow a page that stays open for hours. */
const ROWS_MAX = 60

/** When the clock was last written by the server, in milliseconds since the page was opened. */
let clockWrittenAt = performance.now()

setInterval(() => {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-runs]')) {
    const now = Date.parse(time.dateTime) + performance.now() - clockWrittenAt
    time.textContent = new Date(now).toISOString().slice(11, 19)
  }
}, TICK_MS)

type State = 'live' | 'lost' | 'paused'

class LiveList {
  readonly #section: HTMLElement
  /** Missing where the page shows panels alone. */
  readonly #rows: Element | null
  readonly #status: Element
  readonly #pause: HTMLButtonElement
  #source: EventSource | undefined
  #paused = false

  constructor(section: HTMLElement) {
    this.#section = section
    this.#rows = section.querySelector('[data-rows]')
    this.#status = section.querySelector('[data-status]')!
    this.#pause = section.querySelector('[data-pause]')!
    this.#pause.hidden = false
    this.#pause.addEventListener('click', () => this.#togglePause())
    // A hidden page, or one in the browser's history, closes its connection.
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#stop() : this.#listen()))
    addEventListener('pagehide', () => this.#stop())
    addEventListener('pageshow', () => this.#listen())
    this.#listen()
  }

  #listen(): void {
    if (this.#source || this.#paused || document.hidden) return
    const address = new URL(this.#section.dataset.live!, location.href)
    const newest = this.#rows?.firstElementChild?.getAttribute('data-id')
    if (newest) address.searchParams.set('after', newest)
    const source = new EventSource(address)
    this.#source = source
    source.onopen = () => this.#show('Live', 'live')
    source.onerror = () => this.#show('The connection is lost. Trying again…', 'lost')
    source.addEventListener('rows', ({ data }) => this.#addRows(JSON.parse(data)))
    source.addEventListener('panels', ({ data }) => replacePanels(JSON.parse(data)))
    source.addEventListener('removed', () => {
      this.#stop()
      this.#show('This sandbox was removed.', 'lost')
    })
  }

  #stop(): void {
    this.#source?.close()
    this.#source = undefined
  }

  #togglePause(): void {
    this.#paused = !this.#paused
    this.#pause.setAttribute('aria-pressed', String(this.#paused))
    if (this.#paused) {
      this.#stop()
      this.#show('Paused', 'paused')
    } else {
      this.#listen()
    }
  }

  #show(text: string, state: State): void {
    this.#status.textContent = text
    this.#section.dataset.state = state
  }

  #addRows({ html, text }: NewRows): void {
    this.#show(text, 'live')
    if (this.#rows === null) return
    this.#section.querySelector('[data-empty]')?.remove()
    const template = document.createElement('template')
    template.innerHTML = html
    const { content } = template
    // A request that was under way is shown already; its row is replaced.
    for (const row of content.children) {
      this.#rows.querySelector(`[data-id="${row.getAttribute('data-id')}"]`)?.remove()
    }
    this.#rows.prepend(content)
    while (this.#rows.children.length > ROWS_MAX) this.#rows.lastElementChild?.remove()
  }
}

function replacePanels(panels: PanelHtml): void {
  clockWrittenAt = performance.now()
  for (const [name, html] of Object.entries(panels)) {
    const old = document.querySelector(`[data-panel="${name}"]`)
    // A panel is not replaced while one of its fields has the focus: the typed text would be lost.
    if (old && !old.contains(document.activeElement)) old.outerHTML = html
  }
}

const section = document.querySelector<HTMLElement>('[data-live]')
if (section) new LiveList(section)
