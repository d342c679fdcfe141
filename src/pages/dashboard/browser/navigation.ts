/** On a narrow screen the list of pages scrolls sideways: the present page is moved to the middle. */
const pages = document.querySelector<HTMLElement>('.places')
const present = pages?.querySelector<HTMLElement>('[aria-current]')
if (pages && present) {
  pages.scrollLeft = present.offsetLeft - pages.offsetLeft - (pages.clientWidth - present.clientWidth) / 2
}
