/**
 * The commands of a `sim` step: the keys that a file writes, and the verb of the tester's API that each calls, with its
 * arguments. A command's other fields are siblings of its key.
 */
import { z } from 'zod'
import { formatDuration } from '../../spec/contract/duration.ts'
import {
  type OptionsOf,
  TESTER_ACTS,
  type TesterVerb,
  type TesterWord,
} from '../../spec/contract/resources/by-tester.ts'
import { BuyerOptions, RESET_KINDS, ResetKind } from '../../spec/contract/tester.ts'
import { Behavior } from './behavior.ts'
import { msOf, StepDuration } from './step-duration.ts'

export const TimeText = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .meta({ id: 'Time', examples: ['2026-01-01T00:00:00Z'] })

/**
 * `verb`: the name in the list of the tester's verbs. `movesTime`: at a service without a tester's API, the
 * player waits in real time instead.
 */
interface Command<Shape extends z.ZodRawShape, Verb extends string> {
  readonly schema: z.ZodObject<Shape, z.core.$strict>
  readonly verb: Verb
  readonly args: (fields: z.output<z.ZodObject<Shape>>) => readonly unknown[]
  readonly movesTime: boolean
}

/** Default of `args`: the value of the command's word, unless it is only `true`, and then its other fields. */
const command = <Shape extends z.ZodRawShape, const Verb extends string>(
  shape: Shape,
  verb: Verb,
  { args = ownArgs, movesTime = false }: Partial<Pick<Command<Shape, Verb>, 'args' | 'movesTime'>> = {},
): Command<Shape, Verb> => ({ schema: z.strictObject(shape), verb, args, movesTime })

function ownArgs(fields: object): unknown[] {
  const [[, value] = [], ...others] = Object.entries(fields)
  return [...(value === true ? [] : [value]), ...(others.length === 0 ? [] : [Object.fromEntries(others)])]
}

/** The default time to wait until a request is held at a gate. */
const HELD_WITHIN = '10s'

export const SIM_COMMANDS = {
  advance: command(
    { advance: StepDuration.describe("Advances the sandbox's clock and runs the work that falls due") },
    'clock.advance',
    { args: ({ advance }) => [formatDuration(msOf(advance))], movesTime: true },
  ),
  set: command({ set: TimeText.describe('Moves the clock forward to this time') }, 'clock.set', {
    movesTime: true,
  }),
  freeze: command({ freeze: z.literal(true).describe('Stops the clock') }, 'clock.freeze'),
  resume: command({ resume: z.literal(true).describe('Lets the clock run') }, 'clock.resume', {
    movesTime: true,
  }),
  settle: command(
    { settle: StepDuration.describe('Waits, at most this long, until nothing is in flight or due') },
    'settle',
    { args: ({ settle }) => [{ within: formatDuration(msOf(settle)), held: false }], movesTime: true },
  ),
  held: command({ held: z.string().describe('Waits until this gate holds a request') }, 'untilHeld', {
    args: ({ held }) => [held, { within: HELD_WITHIN }],
  }),
  release: command({ release: z.string().describe('Resumes the requests held at this gate') }, 'release'),
  arm: command(
    {
      arm: z
        .array(Behavior)
        .min(1)
        .describe('Arms more behaviors')
        .meta({ examples: [[{ do: { respond: 503 } }]] }),
    },
    'arm',
  ),
  disarm: command({ disarm: z.string().describe('The id of a behavior, or all') }, 'disarm', {
    args: ({ disarm }) => (disarm === 'all' ? [] : [disarm]),
  }),
  reset: command(
    {
      reset: z
        .union([z.literal(true), z.array(ResetKind).min(1)], {
          error: `must be true for everything, or a list of ${RESET_KINDS.join(', ')}`,
        })
        .describe('Resets everything, or only these parts'),
    },
    'reset',
    { args: ({ reset }) => [reset === true ? {} : { what: reset }] },
  ),
  approve: command(
    { approve: z.string().describe('The checkout whose buyer approves it'), ...BuyerOptions.shape },
    'buyer.approve',
  ),
  decline: command(
    { decline: z.string().describe('The checkout whose buyer the bank declines'), ...BuyerOptions.shape },
    'buyer.decline',
  ),
  ...testerCommands(),
}

type TesterCommands = {
  readonly [Word in TesterWord]: Command<
    { [Key in Word]: z.ZodString } & ([OptionsOf<Word>] extends [never] ? object : OptionsOf<Word>['shape']),
    TesterVerb
  >
}

function testerCommands(): TesterCommands {
  const rows = TESTER_ACTS.map(({ word, verb, of, summary, options, move }) => {
    const what = of.replace('_', ' ')
    const about = move
      ? `The ${what} that ${word}s now`
      : `For this ${what}: ${summary[0]!.toLowerCase()}${summary.slice(1)}`
    const shape = { [word]: z.string().describe(about), ...options.shape }
    return [
      word,
      command(shape, verb, {
        args: ({ [word]: id, ...given }) => (move ? [id] : [id, options.encode(given)]),
        movesTime: move?.by === 'time',
      }),
    ]
  })
  return Object.fromEntries(rows) as TesterCommands
}

type Commands = typeof SIM_COMMANDS
export type SimCommand = { [Word in keyof Commands]: z.output<Commands[Word]['schema']> }[keyof Commands]

const schemas = Object.values(SIM_COMMANDS).map(({ schema }) => schema)
export const SimCommand: z.ZodType<SimCommand> = z.union(schemas as never)

/** The command's row for a `sim` step. */
export const simCommandOf = (sim: SimCommand): Command<z.ZodRawShape, Commands[keyof Commands]['verb']> =>
  SIM_COMMANDS[Object.keys(sim).find((name) => Object.hasOwn(SIM_COMMANDS, name)) as keyof Commands] as never
