/** The public names. */
import type { Fixture } from './control/fixture.ts'
import type { Scenario } from './scenario-file/format.ts'

export type { NewSandbox, SandboxControl as Sandbox } from './control/control.ts'
export { ConnectionError } from './http/connection-faults.ts'
export type { SandboxOptions } from './options/sandbox.ts'
export type { SimulatorOptions } from './options/simulator.ts'
export type { Armable as Behavior } from './scenario-file/armable.ts'
export { createSimulator, type Simulator } from './simulator/embedded.ts'
export {
  type ReceivedHeaders,
  type SignedHeaders,
  type SigningOptions,
  type SigningTime,
  signWebhook,
  type VerifyingOptions,
  verifyWebhook,
  type WebhookBody,
} from './webhooks/sign.ts'
export type { Fixture, Scenario }

/** Reads a scenario file to be armed. The reader is only loaded for it. */
export async function readScenario(path: string): Promise<Scenario> {
  const { readScenario } = await import('./scenario-file/read.ts')
  return readScenario(path)
}

/** Reads seed data from a file, YAML or JSON. */
export async function readFixture(path: string): Promise<Fixture> {
  const { readFixture } = await import('./control/fixture.ts')
  return readFixture(path)
}
