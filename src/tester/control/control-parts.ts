/** What the registry and its sandboxes use of this room (lazy-control.ts). */
export { createControl, describe } from './control.ts'
export { requireFixture, seedFixture } from './fixture.ts'
export { readSource, sourceText } from './state.ts'
