/** The dashboard's only script. Every page works without it, but does not update by itself. */
import './live.ts'

/** A filter applies when it is chosen. */
document.documentElement.dataset.script = 'runs'
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.closest('.filter')) target.form?.requestSubmit()
})

const SHOWN_MS = 2000

/** Buttons that copy the text next to them, also in parts of the page that are added later. Shown only if scripts run. */
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy]') : null
  if (!button) return
  const label = button.querySelector('span')!
  const usual = label.textContent
  label.textContent = await copy(button.closest('[data-copied]')!.querySelector('pre, textarea')!)
  setTimeout(() => {
    label.textContent = usual
  }, SHOWN_MS)
})

/** A browser allows the clipboard on https and localhost only. Elsewhere the text is selected, ready to be copied. */
async function copy(text: Element): Promise<string> {
  try {
    await navigator.clipboard.writeText(text instanceof HTMLTextAreaElement ? text.value : text.textContent)
    return 'Copied'
  } catch {
    getSelection()?.selectAllChildren(text)
    return 'Press Ctrl+C'
  }
}

/**
 * A click anywhere in a row follows its first link, unless text is being selected or something in the row was
 * clicked.
 */
document.addEventListener('click', ({ target, ctrlKey, metaKey }) => {
  if (!(target instanceof Element) || !getSelection()?.isCollapsed) return
  const row = target.closest('main [data-id]')
  const inside = target.closest('a, button, input, label, summary, details, form, select, pre')
  const link = inside && row?.contains(inside) ? null : row?.querySelector<HTMLAnchorElement>('a[href]')
  if (!link) return
  if (ctrlKey || metaKey) open(link.href)
  else link.click()
})

/** Scrolls the opened order's row into view. */
if (matchMedia('(min-width: 64rem)').matches)
  document.querySelector('.orders [aria-current]')?.scrollIntoView({ block: 'center' })

/** On a narrow screen the list of pages scrolls sideways: the current page is moved to the middle. */
const pages = document.querySelector<HTMLElement>('.places')
const present = pages?.querySelector<HTMLElement>('[aria-current]')
if (pages && present) {
  // Not by scrollIntoView: the next Tab would then start there instead of at the top of the page.
  pages.scrollLeft = present.offsetLeft - pages.offsetLeft - (pages.clientWidth - present.clientWidth) / 2
}
