/**
 * The row of a command. That of `paysim start` is here, so that it does not load those of all others
 * (commands.ts).
 */
import type { Options } from '../../spec/options/option.ts'
import { START_OPTIONS } from '../../spec/options/simulator.ts'

/** The file of settings: may have a value for any option. Stands beside package.json. */
export const SETTINGS_FILE = 'paysim.yaml'

export interface CommandRow<Shape extends Options = Options> {
  summary: string
  /**
   * A function, called when the command is used: `paysim start` does not wait for the schemas of other
   * commands.
   */
  options: () => Shape
  /** Headings in `--help`, each with the names of its options. */
  groups?: Readonly<Record<string, readonly string[]>>
  /** A line to type, and what it does. */
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
