import { LazyPart } from '../lazy-part.ts'

/**
 * Loads the reader with its YAML parser when a tester first sends a file: `paysim start` serves without it.
 */
export const lazyReader = new LazyPart(() => import('./read.ts'))
