/**
 * Ticks the clock and keeps the page up to date: when the server reports a change, the script fetches the same page again and
 * morphs the current one into it. Elements stay in place, and with them focus, selection and scroll position.
 */
import { Idiomorph } from 'idiomorph'
import { formatInstant } from '../../../spec/contract/time.ts'
import { BY_SCRIPT } from '../live-events.ts'

const TICK_MS = 250

/** When the server last wrote the clock, in milliseconds since the page was opened. */
let clockWrittenAt = performance.now()

setInterval(() => {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-runs]')) {
    const now = Date.parse(time.dateTime) + performance.now() - clockWrittenAt
    time.textContent = formatInstant(now).slice(11, 19)
  }
}, TICK_MS)

/** Set by the person at the page, so its state differs from the server's HTML. */
const KEPT = '[data-live], [data-kept], input:not([type=hidden]), select, textarea'
const isKept = (node: Node) => node instanceof Element && node.matches(KEPT)

function morphInto(html: string): void {
  Idiomorph.morph(document.body, new DOMParser().parseFromString(html, 'text/html').body, {
    callbacks: {
      beforeNodeMorphed: (node) => !isKept(node),
      beforeNodeRemoved: (node) => !(node instanceof Element && node.matches('[data-kept]')),
      beforeAttributeUpdated: (name, { tagName }) => tagName !== 'DETAILS' || name !== 'open',
    },
  })
  clockWrittenAt = performance.now()
}

function follow(status: HTMLElement): void {
  let source: EventSource | undefined
  /** The state that the page shall show, and whether it is being fetched. */
  let state: string | undefined
  let isFetching = false
  const say = (text: string, look: 'live' | 'lost') => {
    if (status.textContent !== text) status.textContent = text
    status.dataset.state = look
    status.classList.toggle('wait', look === 'lost')
  }
  async function update(): Promise<void> {
    if (isFetching) return
    isFetching = true
    const fetched = state
    const answer = await fetch(location.href, { headers: { [BY_SCRIPT]: '1' }, redirect: 'error' }).catch(
      () => undefined,
    )
    if (answer?.ok) morphInto(await answer.text())
    isFetching = false
    if (state !== fetched) void update()
  }
  function listen(): void {
    source?.close()
    source = undefined
    // A hidden page closes its connection: browsers open only six to one server.
    if (document.hidden) return
    const address = new URL(status.dataset.live!, location.href)
    if (state !== undefined) address.searchParams.set('shown', state)
    source = new EventSource(address)
    source.onopen = () => say('Live', 'live')
    source.onerror = () => say('The connection is lost. Trying again…', 'lost')
    source.addEventListener('changed', ({ lastEventId }) => {
      state = lastEventId
      void update()
    })
    source.addEventListener('removed', () => {
      source?.close()
      say('This sandbox was removed.', 'lost')
    })
  }
  document.addEventListener('visibilitychange', listen)
  listen()
}

const status = document.querySelector<HTMLElement>('[data-live]')
if (status) follow(status)
