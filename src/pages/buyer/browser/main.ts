/** The hosted page's only script. Every page works without it. */
import { brandName, brandOf } from '../../../service/environments/card-brand.ts'

/** Shows the card's brand, in the field's output, while its number is typed. */
function showBrand(input: HTMLInputElement): void {
  const output = document.querySelector(`output[for="${input.id}"]`)
  const name = brandName(brandOf(input.value.replaceAll(/\D/g, ''))) ?? ''
  // Set only if it differs: a screen reader reads an output whenever its text is set.
  if (output && output.textContent !== name) output.textContent = name
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement) showBrand(target)
})
for (const input of document.querySelectorAll('input')) showBrand(input)
