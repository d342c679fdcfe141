/** A simulator in a test process. If the process belongs to a gauntlet run, the simulator joins that run. */
import type { Simulator } from '../../server/simulator/simulator.ts'
import type { SimulatorOptions } from '../../spec/options/simulator.ts'
import { composeSimulator } from '../compose.ts'
import { partInRun } from '../gauntlet/part.ts'
import { runOfThisProcess } from '../gauntlet/run-folder.ts'

export function simulatorOfTests(options: SimulatorOptions = {}): Simulator {
  const run = runOfThisProcess()
  const part = run && partInRun(run, true)
  return composeSimulator(options, { attendant: part }).simulator
}
