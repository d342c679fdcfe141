/**
 * Buttons that copy the text beside them, also in parts of the page that are added later. Shown only while
 * scripts run.
 */
const SHOWN_MS = 2000

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
