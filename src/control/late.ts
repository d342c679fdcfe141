/**
 * This room for those inside of it: the registry and its sandboxes. `paysim start` loads it with the first request of a tester,
 * as a platform's requests need none of it. A program that has the simulator as an object loads both together (simulator.ts).
 */
import { LatePart } from '../late.ts'

export const controlRoom = new LatePart(() => import('./room.ts'))
