/** The simulator for a program that steers it as an object, which answers at once: so what steers it is loaded with it. */
import * as armingParts from '../../sandbox/behaviors/arming-parts.ts'
import { lazyArming } from '../../sandbox/behaviors/lazy-arming.ts'
import * as controlParts from '../../tester/control/control-parts.ts'
import { lazyControl } from '../../tester/control/lazy-control.ts'

lazyControl.use(controlParts)
lazyArming.use(armingParts)

export * from './simulator.ts'
