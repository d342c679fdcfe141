/**
 * This room for those inside of it: the registry and its sandboxes. `paysim start` loads it with the first request of a tester,
 * as a platform's requests need none of it. A program that has the simulator as an object loads both together (simulator.ts).
 */
type Room = typeof import('./room.ts')

let room: Room | undefined

export function useControlRoom(loaded: Room): void {
  room = loaded
}

export async function loadControlRoom(): Promise<void> {
  room ??= await import('./room.ts')
}

export function controlRoom(): Room {
  if (!room) throw new Error('the control room is asked before it is loaded')
  return room
}
