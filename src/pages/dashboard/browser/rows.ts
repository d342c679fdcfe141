/**
 * A click anywhere in a row follows its first link, unless text is being selected or something in the row was
 * clicked.
 */
document.addEventListener('click', ({ target, ctrlKey, metaKey }) => {
  if (!(target instanceof Element) || !getSelection()?.isCollapsed) return
  if (target.closest('a, button, input, label, summary, details, form, select, pre')) return
  const link = target.closest('main [data-id]')?.querySelector<HTMLAnchorElement>('a[href]')
  if (!link) return
  if (ctrlKey || metaKey) open(link.href)
  else link.click()
})
