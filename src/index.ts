/** The public names. */
export type { SandboxOptions, SimulatorOptions } from './config.ts'
export type { Sandbox } from './sandbox.ts'
export { createSimulator, type Simulator } from './simulator.ts'
export { type SignedHeaders, signWebhook, verifyWebhook } from './webhooks/sign.ts'
