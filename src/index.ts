/** The public names. */

import type { Scenario } from './sandbox/scenario-file/format.ts'
import type { Fixture } from './spec/options/fixture.ts'
import type { SimulatorOptions } from './spec/options/simulator.ts'
import type { Simulator } from './tools/compose.ts'
import { simulatorOfTests } from './tools/in-tests/simulator-of-tests.ts'

export type { Armable as Behavior } from './sandbox/scenario-file/armable.ts'
export {
  type ReceivedHeaders,
  type SignedHeaders,
  type SigningOptions,
  type SigningTime,
  signWebhook,
  type VerifyingOptions,
  verifyWebhook,
  type WebhookBody,
} from './service/webhooks/sign.ts'
export { ConnectionError } from './spec/contract/connection-error.ts'
export type { SandboxOptions } from './spec/options/sandbox.ts'
export type { SimulatorOptions } from './spec/options/simulator.ts'
export type { NewSandbox, SandboxControl as Sandbox } from './tester/control/control.ts'
export type { Fixture, Scenario, Simulator }

/**
 * Synchronous; opens no port, and touches no file unless `data` names a folder. In tests run by `paysim gauntlet`, its sandboxes
 * get the gauntlet's faults, and what they saw is judged.
 */
export const createSimulator = (options: SimulatorOptions = {}): Simulator => simulatorOfTests(options)

/** Reads a scenario file to arm. The reader is loaded only for this. */
export async function readScenario(path: string): Promise<Scenario> {
  const { readScenario } = await import('./sandbox/scenario-file/read.ts')
  return readScenario(path)
}

/** Reads seed data from a YAML or JSON file, or the bundled `demo`. */
export async function readFixture(path: string): Promise<Fixture> {
  const { readFixture } = await import('./tester/control/fixture.ts')
  return readFixture(path)
}
