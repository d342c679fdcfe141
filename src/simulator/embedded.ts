/** The simulator for a program that steers it as an object, which answers at once: so what steers it is loaded with it. */
import * as armingParts from '../behaviors/arming-parts.ts'
import { lazyArming } from '../behaviors/lazy-arming.ts'
import * as controlParts from '../control/control-parts.ts'
import { lazyControl } from '../control/lazy-control.ts'

lazyControl.use(controlParts)
lazyArming.use(armingParts)

export * from './simulator.ts'
