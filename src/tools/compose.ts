/** Puts a simulator together: the server, and what only a tool can do for its pages. */
import { buildSimulator, type Simulator, type SimulatorParts } from '../server/simulator/simulator.ts'
import { LazyPart } from '../service/lazy-part.ts'
import type { SimulatorOptions } from '../spec/options/simulator.ts'

export type { Simulator }

/** A simulator, and for its own tests the internals of each of its sandboxes. */
export const composeSimulator = (options: SimulatorOptions, parts: Partial<SimulatorParts> = {}) =>
  buildSimulator(options, { whyRecordingFails, ...parts })

/** Synchronous, listens to nothing, and touches no file unless `data` names a folder. */
export const createSimulator = (options: SimulatorOptions = {}): Simulator =>
  composeSimulator(options).simulator

/** A simulator at an address of its own, to play a file in. */
export async function startOwn() {
  const simulator = createSimulator()
  const { url } = await simulator.listen()
  return { url, close: () => simulator.close() }
}

const player = new LazyPart(() => import('./player/play-recorded.ts'))

async function whyRecordingFails(yaml: string): Promise<string | undefined> {
  const { whyNotPassed } = await player.load()
  return whyNotPassed(yaml, startOwn)
}
