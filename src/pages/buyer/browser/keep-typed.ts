/**
 * Sends a form without leaving the page, so that a mistyped card number stays in its field: the server never sends one back. The
 * response replaces the page, or the browser follows its redirect.
 */
let sending = false

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset.keeps === undefined) return
  event.preventDefault()
  if (!sending) void send(form)
})

async function send(form: HTMLFormElement): Promise<void> {
  sending = true
  const typed = new URLSearchParams()
  for (const [name, value] of new FormData(form)) typed.set(name, String(value))
  typed.set('kept', 'yes')
  try {
    const answer = await fetch(form.action, { method: 'POST', body: typed })
    if (answer.redirected) location.assign(answer.url)
    else show(new DOMParser().parseFromString(await answer.text(), 'text/html'), typed)
  } catch {
    // The server was not reached: the form is sent without the script, so that the browser shows its own
    // error.
    form.submit()
  } finally {
    sending = false
  }
}

/** The focus moves to the first mistake, or else to the text of the new page, so that a screen reader reads it. */
function show(page: Document, typed: URLSearchParams): void {
  const wrong = page.querySelector<HTMLElement>('[autofocus]')
  wrong?.removeAttribute('autofocus')
  document.title = page.title
  document.body.replaceWith(page.body)
  for (const input of document.querySelectorAll<HTMLInputElement>('form[data-keeps] input')) {
    if (input.value === '') input.value = typed.get(input.name) ?? ''
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const main = document.querySelector('main')
  if (main) main.tabIndex = -1
  const place = wrong ?? main
  place?.focus()
}
