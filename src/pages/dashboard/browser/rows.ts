/** All of a row leads where its first link does, unless its text is being selected or something in it was clicked. */
document.addEventListener('click', ({ target, ctrlKey, metaKey }) => {
  if (!(target instanceof Element) || !getSelection()?.isCollapsed) return
  if (target.closest('a, button, input, label, summary, details, form, select, pre')) return
  const link = target.closest('main [data-id]')?.querySelector<HTMLAnchorElement>('a[href]')
  if (!link) return
  if (ctrlKey || metaKey) open(link.href)
  else link.click()
})
