/**
 * The simulator of `paysim run`, in a thread of its own: while it answers one file, the player checks the answers of
 * another. It says its address once it listens, and closes when it is told to.
 */
import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { createSimulator } from '../compose.ts'

export async function serveFromThread(): Promise<void> {
  const simulator = createSimulator()
  const { url } = await simulator.listen()
  // For scenarios that are played in production.
  await simulator.production.listen()
  parentPort!.postMessage({ url, apiKey: simulator.sandbox('default').apiKey })
  await once(parentPort!, 'message')
  await simulator.close()
}
