/** A simulator in a test process. If the process belongs to a gauntlet run, the simulator joins that run. */
import type { SimulatorOptions } from '../../spec/options/simulator.ts'
import { composeSimulator } from '../compose.ts'
import { PartInRun } from '../gauntlet/part.ts'

/** Outside a run, there is no `part`. */
export function simulatorOfTests(options: SimulatorOptions = {}) {
  const part = PartInRun.ofThisProcess()
  return { simulator: composeSimulator(options, { attendant: part }).simulator, part }
}
