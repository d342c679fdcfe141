/** The simulator of a command that needs one for itself: at a free port, without a log. */
import type { Attendant } from '../../server/simulator/registry.ts'
import { composeSimulator } from '../compose.ts'

export async function startSimulator(attendant: Attendant) {
  const { simulator } = composeSimulator({ log: 'silent' }, { attendant })
  const { url } = await simulator.listen()
  return { simulator, url, close: () => simulator.close() }
}
