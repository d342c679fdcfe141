/**
 * The dashboard by keyboard. The selected row is the one whose link has the focus, so `enter` opens it, and a screen reader
 * says which it is, without anything of our own.
 */
const help = document.querySelector<HTMLDialogElement>('dialog.keys')

const find = <Kind extends HTMLElement>(selector: string) => document.querySelector<Kind>(selector)

const rowsShown = () =>
  [...document.querySelectorAll<HTMLElement>('main [data-id]')].filter(
    (row) => row.offsetParent !== null && row.querySelector('a[href]'),
  )

function select(step: 1 | -1): void {
  const rows = rowsShown()
  const selected = document.activeElement?.closest<HTMLElement>('[data-id]')
  const at = selected ? rows.indexOf(selected) : -1
  const firstSeen = rows.findIndex((row) => row.getBoundingClientRect().top >= 0)
  const row = rows[at === -1 ? Math.max(0, firstSeen) : at + step]
  row?.querySelector<HTMLElement>('a[href]')?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}

/** Leaves the focused field first; then goes to the page that led here, or to this page's list. */
function goBack(): void {
  const focused = document.activeElement
  const led = document.referrer.startsWith(`${location.origin}/_sim/ui`)
  if (focused instanceof HTMLElement && focused !== document.body) focused.blur()
  else if (led && history.length > 1) history.back()
  else find<HTMLAnchorElement>('main .title a, .places a[aria-current]')?.click()
}

const KEYS: Record<string, () => void> = {
  '/': () => find('.find input')?.focus(),
  j: () => select(1),
  k: () => select(-1),
  p: () => find('[data-pause]')?.click(),
  n: () => find('[data-show]:not([hidden])')?.click(),
  f: () => find('.filter input, .filter select')?.focus(),
  '?': () => help?.showModal(),
  Escape: goBack,
}

/** Letters can be switched off: speech input may produce letters by accident (WCAG 2.1.4). */
const OFF = 'paysim-letters-off'
const letters = find<HTMLInputElement>('[data-letters]')
if (letters) {
  letters.checked = localStorage.getItem(OFF) === null
  letters.addEventListener('change', () =>
    letters.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, 'yes'),
  )
}

const STEPS: Record<string, 'previousElementSibling' | 'nextElementSibling'> = {
  ArrowLeft: 'previousElementSibling',
  ArrowRight: 'nextElementSibling',
}

/** The bars of a chart are one stop: the arrow keys go from bar to bar. */
document.addEventListener('keydown', ({ key, target }) => {
  const step = STEPS[key]
  const next = step && target instanceof Element && target.closest('.heat a')?.[step]
  if (next instanceof SVGAElement) next.focus()
})

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return
  const isTyping =
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')
  const isOff = letters?.checked === false && key !== '?'
  const act = (isTyping || isOff) && key !== 'Escape' ? undefined : KEYS[key]
  if (!act) return
  event.preventDefault()
  act()
})

find('[data-keys]')?.addEventListener('click', () => help?.showModal())
