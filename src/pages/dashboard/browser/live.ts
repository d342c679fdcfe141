import { formatInstant } from '../../../spec/contract/time.ts'
/**
 * Lets the clock tick and updates the page: when the server says that something changed, the script asks for
 * the same page again and replaces the parts that differ. HTML comes only from the server's components, so it
 * is escaped in one place.
 */
import { BY_SCRIPT } from '../live-events.ts'

const TICK_MS = 250
/** The shortest time between two requests for the page. */
const GAP_MS = 500

/** When the clock was last written by the server, in milliseconds since the page was opened. */
let clockWrittenAt = performance.now()

setInterval(() => {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-runs]')) {
    const now = Date.parse(time.dateTime) + performance.now() - clockWrittenAt
    time.textContent = formatInstant(now).slice(11, 19)
  }
}, TICK_MS)

type State = 'live' | 'lost' | 'paused'

/** The parts of a page by name, with the HTML as the server sent it: scripts change the shown one. */
const partsOf = (page: ParentNode, kind: 'list' | 'panel') =>
  new Map(
    [...page.querySelectorAll<HTMLElement>(`[data-${kind}]`)].map((part) => [part.dataset[kind]!, part]),
  )

const rowsOf = (list: Element) => [...(list.querySelector('[data-rows]')?.children ?? [])] as HTMLElement[]

const sent = new WeakMap<Element, string>()

function remember(page: ParentNode): void {
  for (const part of page.querySelectorAll('[data-list], [data-panel], [data-rows] > *'))
    sent.set(part, part.outerHTML)
}

class LivePage {
  readonly #bar: HTMLElement
  readonly #status: Element
  /** Repeats the button's text for screen readers. */
  readonly #news: Element
  readonly #pause: HTMLButtonElement
  readonly #show: HTMLButtonElement
  #source: EventSource | undefined
  #state: string | undefined
  #isPaused = false
  #isAsking = false
  #askAgain = false
  /** The newest version of the page, kept while the shown one is being read. */
  #fresh: Document | undefined

  constructor(bar: HTMLElement) {
    this.#bar = bar
    this.#status = bar.querySelector('[data-status]')!
    this.#news = bar.querySelector('[data-news]')!
    this.#pause = bar.querySelector('[data-pause]')!
    this.#show = bar.querySelector('[data-show]')!
    this.#pause.hidden = false
    this.#pause.addEventListener('click', () => this.#togglePause())
    this.#show.addEventListener('click', () => this.#showNew())
    // A hidden page, or one in the browser's history, closes its connection.
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#stop() : this.#listen()))
    addEventListener('pagehide', () => this.#stop())
    addEventListener('pageshow', () => this.#listen())
    remember(document)
    this.#listen()
  }

  #listen(): void {
    if (this.#source || document.hidden) return
    const address = new URL(this.#bar.dataset.live!, location.href)
    if (this.#state !== undefined) address.searchParams.set('shown', this.#state)
    const source = new EventSource(address)
    this.#source = source
    source.onopen = () => this.#tell()
    source.onerror = () => this.#say('The connection is lost. Trying again…', 'lost')
    source.addEventListener('changed', ({ lastEventId }) => {
      this.#state = lastEventId
      void this.#ask()
    })
    source.addEventListener('removed', () => {
      this.#stop()
      this.#say('This sandbox was removed.', 'lost')
    })
  }

  #stop(): void {
    this.#source?.close()
    this.#source = undefined
  }

  /** Asks for one page at a time; a change meanwhile is asked for after it. */
  async #ask(): Promise<void> {
    if (this.#isAsking) {
      this.#askAgain = true
      return
    }
    this.#isAsking = true
    try {
      const answer = await fetch(location.href, { headers: { [BY_SCRIPT]: '1' }, redirect: 'error' })
      if (answer.ok) this.#take(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    } catch {
      this.#say('The connection is lost. Trying again…', 'lost')
    }
    setTimeout(() => {
      this.#isAsking = false
      if (this.#askAgain) {
        this.#askAgain = false
        void this.#ask()
      }
    }, GAP_MS)
  }

  #take(fresh: Document): void {
    remember(fresh)
    this.#fresh = fresh
    if (!this.#isPaused && !isBeingRead()) this.#putIn()
    else {
      if (!this.#isPaused) replacePanels(fresh)
      this.#offer(fresh)
    }
  }

  /** Shows how many rows are new; without new rows, that something has changed. */
  #offer(fresh: Document): void {
    const shown = partsOf(document, 'list')
    let added = 0
    let differs = false
    for (const [name, list] of partsOf(fresh, 'list')) {
      const old = shown.get(name)
      if (!old || sent.get(old) === sent.get(list)) continue
      differs = true
      const known = new Set(rowsOf(old).map(({ dataset }) => dataset.id))
      const rows = rowsOf(list).filter(({ dataset }) => !known.has(dataset.id)).length
      added += Math.max(rows, Number(list.dataset.count ?? 0) - Number(old.dataset.count ?? 0))
    }
    this.#show.hidden = !differs
    const news = added > 0 ? `${added.toLocaleString('en-US')} new` : 'Changed'
    this.#show.textContent = `${news}: show`
    this.#news.textContent = differs ? news : ''
  }

  #showNew(): void {
    this.#putIn()
    const list = document.querySelector('[data-list]')
    if (list && list.getBoundingClientRect().top < 0) list.scrollIntoView()
  }

  #putIn(): void {
    const fresh = this.#fresh
    if (!fresh) return
    this.#fresh = undefined
    this.#show.hidden = true
    replacePanels(fresh)
    const shown = partsOf(document, 'list')
    for (const [name, list] of partsOf(fresh, 'list')) {
      const old = shown.get(name)
      if (old && sent.get(old) !== sent.get(list)) replaceList(old, list)
    }
    this.#tell()
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused
    this.#pause.setAttribute('aria-pressed', String(this.#isPaused))
    if (!this.#isPaused) this.#putIn()
    this.#tell()
  }

  #tell(): void {
    if (this.#isPaused) this.#say('Paused', 'paused')
    else this.#say('Live', 'live')
  }

  #say(text: string, state: State): void {
    if (this.#status.textContent !== text) this.#status.textContent = text
    this.#bar.dataset.state = state
  }
}

/**
 * Whether replacing the list would disturb a reader: it is scrolled, or one of its rows is selected, checked
 * or open.
 */
function isBeingRead(): boolean {
  const selection = getSelection()
  return [...document.querySelectorAll('[data-list]')].some(
    (list) =>
      list.getBoundingClientRect().top < 0 ||
      list.contains(document.activeElement) ||
      list.querySelector('input:checked, details[open]') !== null ||
      (selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)),
  )
}

/** Replaces a list, except for rows that are the same. */
function replaceList(old: HTMLElement, list: HTMLElement): void {
  sent.set(old, sent.get(list)!)
  if (list.dataset.count !== undefined) old.dataset.count = list.dataset.count
  const [into, from] = [old.querySelector('[data-rows]'), list.querySelector('[data-rows]')]
  if (!into || !from || list.dataset.one !== undefined) {
    old.replaceChildren(...list.children)
    return
  }
  const known = new Map(rowsOf(old).map((row) => [row.dataset.id, row]))
  into.replaceChildren(
    ...rowsOf(list).map((row) => {
      const same = known.get(row.dataset.id)
      return same && sent.get(same) === sent.get(row) ? same : row
    }),
  )
}

function replacePanels(fresh: Document): void {
  const shown = partsOf(document, 'panel')
  for (const [name, panel] of partsOf(fresh, 'panel')) {
    const old = shown.get(name)
    if (!old || withoutTime(sent.get(old)!) === withoutTime(sent.get(panel)!)) continue
    // A panel is not replaced while one of its fields has the focus: the typed text would be lost.
    if (!old.contains(document.activeElement)) old.replaceWith(panel)
  }
  const [time, now] = [document, fresh].map((page) => page.querySelector<HTMLTimeElement>('time[data-runs]'))
  if (time && now) {
    time.dateTime = now.dateTime
    clockWrittenAt = performance.now()
  }
}

/**
 * Without the running clock's time: this script moves it, and a difference in it must not replace the panel
 * under a click.
 */
const withoutTime = (html: string) => html.replace(/<time[^>]*data-runs.*?<\/time>/s, '')

const bar = document.querySelector<HTMLElement>('[data-live]')
if (bar) new LivePage(bar)
