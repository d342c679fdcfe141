/** The hosted page's one script. Every page works without it, except that a mistake then clears the numbers. */
import './card-brand.ts'
import './keep-typed.ts'
