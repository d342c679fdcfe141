/**
 * A checkbox that checks every request of the list, also those added later; and a filter that acts when it is
 * chosen.
 */
document.documentElement.dataset.script = 'runs'
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.closest('.filter')) target.form?.requestSubmit()
  if (!(target instanceof HTMLInputElement) || !target.closest('[data-all]')) return
  for (const one of target.form!.querySelectorAll<HTMLInputElement>('input[name=id]'))
    one.checked = target.checked
})
