import { LazyPart } from '../../service/lazy-part.ts'

/** What the registry and its sandboxes use of this room: loaded with the first request of a tester. */
export const lazyControl = new LazyPart(() => import('./control-parts.ts'))
