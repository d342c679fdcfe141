/** What is said of a command, and the row of `paysim start`, which does not wait for the rows of the others. */
import type { Options } from './option.ts'
import { START_OPTIONS } from './simulator.ts'

/** Holds any option, beside package.json. */
export const SETTINGS_FILE = 'paysim.yaml'

export interface CommandRow<Shape extends Options = Options> {
  summary: string
  /** Made when they are asked for: `paysim start` does not wait for the schemas of other commands. */
  options: () => Shape
  /** What `--help` groups: heading and names. */
  groups?: Readonly<Record<string, readonly string[]>>
  /** What is typed, and what for. */
  examples: readonly (readonly [typed: string, what: string])[]
  /** Stands at the end of the help. */
  note?: string
}

export function command<Shape extends Options>(row: CommandRow<Shape>): CommandRow<Shape> {
  let made: Shape | undefined
  return {
    ...row,
    options() {
      made ??= row.options()
      return made
    },
  }
}

export const START = command({
  summary: 'start paysim; Ctrl+C or SIGTERM stops it',
  options: () => START_OPTIONS,
  groups: {
    'Where it listens': [
      ...['port', 'host', 'publicUrl', 'trustProxy', 'adminToken'],
      ...['tls', 'tlsCaOut', 'tlsCert', 'tlsKey'],
    ],
    'What it does': [
      ...['rateLimit', 'refundDelay', 'requireApproval', 'clock', 'seed'],
      ...['scenario', 'profile', 'staging', 'conduct'],
    ],
    'What is there from the start': ['fixture', 'sandboxes', 'apiKey', 'signingSecret'],
    Webhooks: ['webhook'],
    'What is kept and shown': ['data', 'durability', 'memory', 'journal', 'log'],
    Production: ['production', 'productionPort', 'productionPublicUrl', 'productionSandbox'],
  },
  examples: [
    ['paysim start --fixture demo', 'with customers, checkouts and refunds'],
    [
      'paysim start --webhook-url http://localhost:3000/webhooks --rate-limit off',
      'for an app that runs here',
    ],
  ],
})
