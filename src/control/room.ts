/** What the registry and its sandboxes ask of this room (late.ts). */
export { createControl, describe } from './control.ts'
export { requireFixture, seedFixture } from './fixture.ts'
export { readSource, sourceText } from './state.ts'
