/** The row of a command. That of `paysim start` is here, so that it starts without loading those of all others (commands.ts). */
import type { Options } from '../../spec/options/option.ts'
import { START_OPTIONS } from '../../spec/options/simulator.ts'

/** The file of settings, next to package.json: may have a value for any option. */
export const SETTINGS_FILE = 'paysim.yaml'

export interface CommandRow<Shape extends Options = Options> {
  /** The heading in the help of `paysim`. */
  group: string
  summary: string
  options: Shape
  /** A line to type, and what it does. */
  examples: readonly (readonly [typed: string, what: string])[]
  /** The last line of the help. */
  note?: string
}

/** Keeps the type of the options. */
export const command = <Shape extends Options>(row: CommandRow<Shape>): CommandRow<Shape> => row

export const START = command({
  group: 'Run the simulator',
  summary: 'start paysim; Ctrl+C or SIGTERM stops it',
  options: START_OPTIONS,
  examples: [
    ['paysim start --fixture demo', 'with customers, checkouts and refunds'],
    [
      'paysim start --webhook-url http://localhost:3000/webhooks --rate-limit off',
      'for an app that runs here',
    ],
  ],
})
