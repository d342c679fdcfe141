/** Buttons that copy the text beside them. They are hidden until this script runs, as they need it. */
const SHOWN_MS = 2000

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  const label = button.querySelector('span')!
  const usual = label.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    label.textContent = await copy(button.closest('[data-copied]')!.querySelector('pre, textarea')!)
    setTimeout(() => {
      label.textContent = usual
    }, SHOWN_MS)
  })
}

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
