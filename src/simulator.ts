/** The simulator for a program that steers it as an object, which answers at once: so what steers it is loaded with it. */
import * as armed from './behaviors/armed.ts'
import { arming } from './behaviors/arming.ts'
import { controlRoom } from './control/late.ts'
import * as room from './control/room.ts'

controlRoom.use(room)
arming.use(armed)

export * from './compose.ts'
