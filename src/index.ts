/** The public names. */
import type { Scenario } from './scenarios/format.ts'

export type { SandboxOptions, SimulatorOptions } from './config.ts'
export type { NewSandbox, SandboxControl as Sandbox } from './control/control.ts'
export { createSimulator, type Simulator } from './simulator.ts'
export { type SignedHeaders, signWebhook, verifyWebhook } from './webhooks/sign.ts'
export type { Scenario }

/** Reads a scenario file, to be armed. Most embedders never need YAML, so it is only loaded here. */
export async function readScenario(file: string): Promise<Scenario> {
  const { readScenario } = await import('./scenarios/read.ts')
  return readScenario(file)
}
