/** A simulator in a test process. If the process belongs to a gauntlet run, the simulator joins that run. */
import type { SimulatorOptions } from '../../spec/options/simulator.ts'
import { composeSimulator } from '../compose.ts'
import { PartInRun } from '../gauntlet/part.ts'
import { runOfThisProcess } from '../gauntlet/run-folder.ts'

/** Outside a run, there is no `part`. */
export function simulatorOfTests(options: SimulatorOptions = {}) {
  const run = runOfThisProcess()
  const part = run && new PartInRun(run, true)
  return { simulator: composeSimulator(options, { attendant: part }).simulator, part }
}
