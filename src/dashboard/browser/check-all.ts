/** One checkbox that checks every request of the list. */
for (const box of document.querySelectorAll<HTMLElement>('[data-all]')) {
  const all = box.querySelector('input')!
  box.hidden = false
  all.addEventListener('change', () => {
    for (const one of all.form!.querySelectorAll<HTMLInputElement>('input[name=id]'))
      one.checked = all.checked
  })
}
