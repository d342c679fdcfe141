/**
 * The one script in a browser: it copies, lets the clock tick, and puts in what the server says is new. What it puts in
 * is written by the same components as the page, so there is nothing here that could forget to escape.
 */
export const script = `
const all = (selector, within = document) => [...within.querySelectorAll(selector)]

for (const button of all('[data-copy]')) {
  const words = button.querySelector('span')
  const said = words.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = button.closest('[data-copied]').querySelector('pre, textarea')
    await navigator.clipboard.writeText(text.value ?? text.textContent).then(
      () => { words.textContent = 'Copied' },
      () => { getSelection().selectAllChildren(text); words.textContent = 'Press Ctrl+C' },
    )
    setTimeout(() => { words.textContent = said }, 2000)
  })
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
  event.preventDefault()
  document.querySelector('.find input').focus()
})

for (const box of all('[data-all]')) {
  box.hidden = false
  box.querySelector('input').addEventListener('change', ({ target }) => {
    for (const one of all('input[name=id]', target.form)) one.checked = target.checked
  })
}

const places = document.querySelector('.places')
const here = places?.querySelector('[aria-current]')
if (here) places.scrollLeft = here.offsetLeft - places.offsetLeft - (places.clientWidth - here.clientWidth) / 2

let shown = performance.now()
setInterval(() => {
  for (const time of all('time[data-runs]')) {
    const at = Date.parse(time.dateTime) + performance.now() - shown
    time.textContent = new Date(at).toISOString().slice(11, 19)
  }
}, 250)

const KEPT_ROWS = 60
const live = document.querySelector('[data-live]')
if (live) {
  const rows = live.querySelector('[data-rows]')
  const said = live.querySelector('[data-said]')
  const button = live.querySelector('[data-pause]')
  let source
  let paused = false

  const say = (text, state) => {
    said.textContent = text
    live.dataset.state = state
  }
  const stop = () => {
    source?.close()
    source = undefined
  }
  const listen = () => {
    if (source || paused || document.hidden) return
    const from = new URL(live.dataset.live, location.href)
    const newest = rows.firstElementChild?.dataset.id
    if (newest) from.searchParams.set('after', newest)
    source = new EventSource(from)
    source.onopen = () => say('Live', 'live')
    source.onerror = () => say('The connection is lost. Trying again…', 'lost')
    source.addEventListener('rows', ({ data }) => {
      const { html, text } = JSON.parse(data)
      live.querySelector('[data-empty]')?.remove()
      const news = document.createElement('template')
      news.innerHTML = html
      for (const row of news.content.children) rows.querySelector('[data-id="' + row.dataset.id + '"]')?.remove()
      rows.prepend(news.content)
      while (rows.children.length > KEPT_ROWS) rows.lastElementChild.remove()
      say(text, 'live')
    })
    source.addEventListener('swap', ({ data }) => {
      shown = performance.now()
      for (const [name, html] of Object.entries(JSON.parse(data))) {
        const old = document.querySelector('[data-swap="' + name + '"]')
        if (old && !old.contains(document.activeElement)) old.outerHTML = html
      }
    })
    source.addEventListener('gone', () => { stop(); say('This sandbox is gone.', 'lost') })
  }

  button.hidden = false
  button.addEventListener('click', () => {
    paused = !paused
    button.setAttribute('aria-pressed', String(paused))
    if (paused) { stop(); say('Paused', 'paused') } else listen()
  })
  document.addEventListener('visibilitychange', () => document.hidden ? stop() : listen())
  addEventListener('pagehide', stop)
  addEventListener('pageshow', listen)
  listen()
}
`
