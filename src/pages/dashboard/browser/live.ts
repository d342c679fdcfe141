/**
 * Ticks the clock and keeps the page up to date: when the server reports a change, the script fetches the same page again and
 * morphs the current one into it. Elements stay in place, and with them focus, scroll position and open parts.
 */
import { Idiomorph } from 'idiomorph'
import { formatInstant } from '../../../spec/contract/time.ts'
import { BY_SCRIPT } from '../live-events.ts'

const TICK_MS = 250
/** The shortest time between two requests for the page. */
const GAP_MS = 500

/** When the server last wrote the clock, in milliseconds since the page was opened. */
let clockWrittenAt = performance.now()

setInterval(() => {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-runs]')) {
    const now = Date.parse(time.dateTime) + performance.now() - clockWrittenAt
    time.textContent = formatInstant(now).slice(11, 19)
  }
}, TICK_MS)

/** Set by the person at the page, so its state differs from the server's HTML. */
const KEPT = '.live, [data-kept], dialog, input:not([type=hidden]), select, textarea'

/** Morphs this part of the page into that of the fetched one. */
function morph(fresh: Document, part: string): void {
  const [old, now] = [document, fresh].map((page) => page.querySelector(part))
  if (!old || !now) return
  // Rows are recognized by their ids wherever they move to.
  for (const page of [old, now])
    for (const row of page.querySelectorAll<HTMLElement>('[data-id]:not([id])')) row.id = row.dataset.id!
  Idiomorph.morph(old, now.cloneNode(true), {
    callbacks: {
      beforeNodeMorphed: (node) => !(node instanceof Element && node.matches(KEPT)),
      beforeNodeRemoved: (node) => !(node instanceof Element && node.matches('[data-kept]')),
      beforeAttributeUpdated: (name, { tagName }) => tagName !== 'DETAILS' || !/^(data-)?open/.test(name),
    },
  })
}

/** Marks what a person has unfolded: other parts may be unfolded from the start. */
document.addEventListener('click', ({ target }) => {
  const details = target instanceof Element ? target.closest('summary')?.parentElement : null
  if (details instanceof HTMLDetailsElement) details.toggleAttribute('data-opened', !details.open)
})

/** Whether an update would disturb a reader: the page is scrolled, or something in it is focused, checked, unfolded or selected. */
function isBeingRead(): boolean {
  const selection = getSelection()
  const main = document.querySelector('main')!
  return (
    scrollY > SCROLLED_PX ||
    document.activeElement?.closest('main :is(a, form, summary)') != null ||
    main.querySelector('input[name=id]:checked, [data-opened]') !== null ||
    (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode))
  )
}

const SCROLLED_PX = 100

/** A page's content as written by the server, without what scripts change. */
function contentOf(page: Document): Element {
  const main = page.querySelector('main')!.cloneNode(true) as Element
  for (const kept of main.querySelectorAll('.live, [data-kept]')) kept.remove()
  return main
}

class LivePage {
  readonly #bar: HTMLElement
  readonly #status: Element
  readonly #show: HTMLButtonElement
  #source: EventSource | undefined
  #state: string
  #isAsking = false
  #askAgain = false
  #shown = contentOf(document)
  /** The newest version of the page, held back while the current one is being read. */
  #fresh: Document | undefined

  constructor(bar: HTMLElement) {
    this.#bar = bar
    this.#state = bar.dataset.shown!
    this.#status = bar.querySelector('[data-status]')!
    this.#show = bar.querySelector('[data-show]')!
    this.#show.addEventListener('click', () => {
      this.#putIn()
      scrollTo(0, 0)
    })
    // A hidden page, or one in the browser's history, closes its connection.
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#stop() : this.#listen()))
    addEventListener('pagehide', () => this.#stop())
    addEventListener('pageshow', () => this.#listen())
    this.#listen()
  }

  #listen(): void {
    if (this.#source || document.hidden) return
    const address = new URL(this.#bar.dataset.live!, location.href)
    address.searchParams.set('shown', this.#state)
    const source = new EventSource(address)
    this.#source = source
    source.onopen = () => this.#say('Live', 'live')
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

  /** Fetches one page at a time; a change in the meantime is fetched afterwards. */
  async #ask(): Promise<void> {
    this.#askAgain = this.#isAsking
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      const answer = await fetch(location.href, { headers: { [BY_SCRIPT]: '1' }, redirect: 'error' })
      if (answer.ok) this.#take(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    } catch {
      this.#say('The connection is lost. Trying again…', 'lost')
    }
    setTimeout(() => {
      this.#isAsking = false
      if (this.#askAgain) void this.#ask()
    }, GAP_MS)
  }

  #take(fresh: Document): void {
    this.#fresh = fresh
    for (const part of ['.side', '.clock']) morph(fresh, part)
    clockWrittenAt = performance.now()
    const isNew = isBeingRead() && !contentOf(fresh).isEqualNode(this.#shown)
    this.#show.hidden = !isNew
    if (isNew) this.#say('Live, with something new', 'live')
    else this.#putIn()
  }

  #putIn(): void {
    if (!this.#fresh) return
    this.#shown = contentOf(this.#fresh)
    morph(this.#fresh, 'main')
    this.#fresh = undefined
    this.#show.hidden = true
    this.#say('Live', 'live')
  }

  #say(text: string, state: 'live' | 'lost'): void {
    if (this.#status.textContent !== text) this.#status.textContent = text
    this.#bar.dataset.state = state
  }
}

const bar = document.querySelector<HTMLElement>('[data-live]')
if (bar) new LivePage(bar)
