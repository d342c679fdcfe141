/**
 * The palette (Ctrl K): lists the links and buttons of navigation, clock and page whose names contain the
 * typed text.
 */
const dialog = document.querySelector<HTMLDialogElement>('dialog.palette')
const typed = dialog?.querySelector<HTMLInputElement>('input')
const list = dialog?.querySelector('ul')

const ACTIONS =
  '.places a, .switch li a, .clock form button, [data-keys], main .title :is(a, button), main .tabs a, main form.action button'

const nameOf = (action: HTMLElement) =>
  action.getAttribute('aria-label') ??
  [action.textContent, action.closest('.clock') && 'on the clock'].filter(Boolean).join(' ')

function show(): void {
  const words = (typed?.value ?? '').toLowerCase().split(/\s+/)
  const actions = [...document.querySelectorAll<HTMLElement>(ACTIONS)].filter(
    (action) => !action.hidden && words.every((word) => nameOf(action).toLowerCase().includes(word)),
  )
  list?.replaceChildren(
    ...actions.map((action) => {
      const row = document.createElement('li')
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = nameOf(action).replace(/\s+/g, ' ').trim()
      button.addEventListener('click', () => {
        dialog?.close()
        action.click()
      })
      row.append(button)
      return row
    }),
  )
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || !dialog || !typed) return
  event.preventDefault()
  typed.value = ''
  show()
  if (!dialog.open) dialog.showModal()
})
typed?.addEventListener('input', show)
dialog?.addEventListener('keydown', (event) => {
  const rows = [...(list?.querySelectorAll('button') ?? [])]
  const at = rows.indexOf(document.activeElement as HTMLButtonElement)
  if (event.key === 'Enter' && at === -1) rows[0]?.click()
  else if (event.key === 'ArrowDown') rows[Math.min(at + 1, rows.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (rows[at - 1] ?? typed)?.focus()
  else return
  event.preventDefault()
})
