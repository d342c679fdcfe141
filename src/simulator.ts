/** The simulator for a program that steers it as an object, which answers at once: so the control room is loaded with it. */
import { useControlRoom } from './control/late.ts'
import * as room from './control/room.ts'

useControlRoom(room)

export * from './compose.ts'
