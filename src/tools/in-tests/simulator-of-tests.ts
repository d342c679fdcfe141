/** A simulator in a test process. If the process belongs to a gauntlet run, the simulator joins that run. */
import type { Simulator } from '../../server/simulator/simulator.ts'
import type { SimulatorOptions } from '../../spec/options/simulator.ts'
import { composeSimulator } from '../compose.ts'
import { PartInRun } from '../gauntlet/part.ts'

export interface SimulatorOfTests {
  simulator: Simulator
  /** Undefined outside a run. */
  part: PartInRun | undefined
}

export function simulatorOfTests(options: SimulatorOptions = {}): SimulatorOfTests {
  const part = PartInRun.ofThisProcess()
  return { simulator: composeSimulator(options, { attendant: part }).simulator, part }
}
