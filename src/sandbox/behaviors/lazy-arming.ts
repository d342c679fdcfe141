import { LazyPart } from '../../service/lazy-part.ts'

/** What it takes to arm a behavior: loaded with the first request of a tester, or with a file that may have armed ones. */
export const lazyArming = new LazyPart(() => import('./arming-parts.ts'))
