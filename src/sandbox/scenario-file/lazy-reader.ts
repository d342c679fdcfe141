import { LazyPart } from '../../service/lazy-part.ts'

/** Brings YAML along: `paysim start` serves without it until a tester sends a file. */
export const lazyReader = new LazyPart(() => import('./read.ts'))
