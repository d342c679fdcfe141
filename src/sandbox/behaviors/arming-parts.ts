/** What it takes to arm a behavior (lazy-arming.ts). */
export { Behavior } from '../scenario-file/behavior.ts'
export { writtenBehaviors } from '../scenario-file/read-behaviors.ts'
export { unreachableIn, unreachableSentence } from '../scenario-file/unreachable.ts'
export { ArmedBehavior } from './armed-behavior.ts'
