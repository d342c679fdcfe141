/** A simulator in a process of tests. Where that belongs to a run of the gauntlet, it takes part in it. */
import type { Simulator } from '../../server/simulator/simulator.ts'
import type { SimulatorOptions } from '../../spec/options/simulator.ts'
import { composeSimulator } from '../compose.ts'
import { PartInRun } from '../gauntlet/part.ts'

export interface SimulatorOfTests {
  simulator: Simulator
  /** Undefined outside of a run. */
  part: PartInRun | undefined
}

export function simulatorOfTests(options: SimulatorOptions = {}): SimulatorOfTests {
  const part = PartInRun.ofThisProcess()
  return { simulator: composeSimulator(options, { attendant: part }).simulator, part }
}
