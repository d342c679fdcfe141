/** The simulator of a command that needs one for itself: at a free port, without a word. */
import { createSimulator } from '../compose.ts'

export async function startSimulator() {
  const simulator = createSimulator({ log: 'silent' })
  const { url } = await simulator.listen()
  return { simulator, url, close: () => simulator.close() }
}
