/** The row of a command. The row of `paysim start` is here, not in commands.ts, so that it starts without loading the others. */
import type { Options } from '../../spec/options/option.ts'
import { START_OPTIONS } from '../../spec/options/simulator.ts'

/** The settings file next to package.json, which may set any option. */
export const SETTINGS_FILE = 'paysim.yaml'

export interface CommandRow<Shape extends Options = Options> {
  /** The heading in the help of `paysim`. */
  group: string
  summary: string
  options: Shape
  /** A command line, and what it does. */
  examples: readonly (readonly [typed: string, what: string])[]
  /** The last line of the help. */
  note?: string
}

export const command = <Shape extends Options>(row: CommandRow<Shape>): CommandRow<Shape> => row

export const START = command({
  group: 'Run the simulator',
  summary: 'start paysim; Ctrl+C or SIGTERM stops it',
  options: START_OPTIONS,
  examples: [
    ['paysim start --fixture demo', 'with customers, checkouts and refunds'],
    [
      'paysim start --webhook-url http://localhost:3000/webhooks --rate-limit off',
      'for an app on this machine',
    ],
  ],
})
