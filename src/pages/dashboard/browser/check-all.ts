/** One checkbox that checks every request of the list, which may be put in later. */
document.documentElement.dataset.script = 'runs'
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('[data-all]')) return
  for (const one of target.form!.querySelectorAll<HTMLInputElement>('input[name=id]'))
    one.checked = target.checked
})
