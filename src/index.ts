/** The public names. */
export type { SandboxOptions, SimulatorOptions } from './config.ts'
export type { NewSandbox, SandboxControl as Sandbox } from './control/control.ts'
export { createSimulator, type Simulator } from './simulator.ts'
export { type SignedHeaders, signWebhook, verifyWebhook } from './webhooks/sign.ts'
