/** The key `/` goes to the search field, except where it is typed as text. */
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key !== '/' || event.ctrlKey || event.metaKey || typing) return
  event.preventDefault()
  document.querySelector<HTMLInputElement>('.find input')?.focus()
})
