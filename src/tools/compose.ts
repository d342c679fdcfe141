/** Assembles a simulator: the server, and its sandboxes as objects. */
import { buildServer, type ServerParts } from '../server/simulator/server.ts'
import { type Simulator, simulatorOf } from '../server/simulator/simulator.ts'
import type { SimulatorOptions } from '../spec/options/simulator.ts'

export type { Simulator }

/** Returns a simulator and, for paysim's own tests, the internals of each sandbox. */
export function composeSimulator(options: SimulatorOptions, parts: ServerParts = {}) {
  const server = buildServer(options, parts)
  return { simulator: simulatorOf(server), internalsOf: server.internalsOf }
}

/** Returns immediately, does not listen, and writes no file unless `data` names a folder. */
export const createSimulator = (options: SimulatorOptions = {}): Simulator =>
  composeSimulator(options).simulator
