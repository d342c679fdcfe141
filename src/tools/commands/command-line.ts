/** The `paysim` command. A subcommand's code is loaded only when it runs, so that `paysim start` starts fast. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Command, CommanderError, Option as Flag } from 'commander'
import { type CommandOption, commandOptions } from '../../spec/options/option.ts'
import { resolveOptions, UsageError } from '../../spec/options/read.ts'
import { VERSION } from '../../spec/package.ts'
import { typedCommand } from '../../spec/typed.ts'
import { type CommandRow, SETTINGS_FILE, START } from '../options/command-row.ts'
import type { CommandName, Resolved } from '../options/commands.ts'
import { requireOutputs } from '../options/output-files.ts'
import { Lifetime } from './lifetime.ts'
import { printText } from './terminal.ts'

const FAILED = 1
const WRONGLY_USED = 2

function flagsFor(option: CommandOption): Flag[] {
  const { flag, placeholder, env, help, helpOfNo, hidden, shownDefault, repeatable, name, group } = option
  const isSwitch = placeholder === undefined
  const made = new Flag(isSwitch ? flag : `${flag} <${placeholder}>`, `${help} (${shownDefault}; ${env})`)
  if (repeatable) made.argParser((value: string, earlier: string[] = []) => [...earlier, value])
  const all = helpOfNo ? [made, new Flag(flag.replace('--', '--no-'), helpOfNo)] : [made]
  return all.map((flag) => {
    flag.attributeName = () => name
    return flag.hideHelp(hidden === true).helpGroup(`${group ?? 'Options'}:`)
  })
}

/** The action of each command, loaded when it runs. Returns the exit code; default: 0. */
const ACTIONS: {
  [Name in CommandName]: (
    options: Resolved<Name>,
    life: Lifetime,
    settingsFile?: string,
  ) => Promise<number> | Promise<void>
} = {
  start: async (options, life, file) => (await import('./start.ts')).start(options, life, file),
  run: async (options, life) => (await import('./run.ts')).run(options, life),
  gauntlet: async (options, life) => (await import('./gauntlet.ts')).gauntlet(options, life),
  exec: async (options, life) => (await import('./exec.ts')).exec(options, life),
  lint: async (options) => (await import('./lint.ts')).lint(options),
  record: async (options) => (await import('./record.ts')).record(options),
  audit: async (options) => (await import('./audit.ts')).audit(options),
  explain: async (options) => (await import('./explain.ts')).explainOrder(options),
  grade: async (options, life) => (await import('./grade.ts')).grade(options, life),
  listen: async (options, life) => (await import('./listen.ts')).listenToWebhooks(options, life),
  mcp: async (options) => (await import('./mcp.ts')).mcp(options),
  health: async (options) => (await import('./health.ts')).health(options),
  profile: async (options) => (await import('./profile.ts')).profile(options),
  fidelity: async (options, life) => (await import('./fidelity.ts')).fidelity(options, life),
  init: async (options) => (await import('./init.ts')).init(options),
  completion: async (options) => (await import('./completion.ts')).completion(options),
  sign: async (options) => (await import('./sign.ts')).sign(options),
}

type Rows = Partial<Record<CommandName, CommandRow>>

/** `paysim start` loads only its own row. */
const rowsFor = async (asked: string | undefined): Promise<Rows> =>
  asked === 'start' ? { start: START } : (await import('../options/commands.ts')).COMMANDS

function createProgram(rows: Rows, life: Lifetime): Command {
  const program = new Command('paysim')
    .description('A simulator of the Payments API on your own machine.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
  for (const [name, row] of Object.entries(rows)) {
    const command = program.commandsGroup(`${row.group}:`).command(name).description(row.summary)
    // Only the requested command gets its options: creating all of them would slow down every start.
    const asked = process.argv[2] ?? ''
    if (asked === name || !Object.hasOwn(rows, asked)) fill(command, name as CommandName, row, life)
  }
  addHelp(program)

  for (const command of [program, ...program.commands]) {
    command
      .exitOverride((cause) => {
        throw withWhatIsRight(cause, command, rows[command.name() as CommandName])
      })
      .configureOutput({ outputError: () => {} })
      .showSuggestionAfterError()
  }
  return program
}

function fill(command: Command, name: CommandName, row: CommandRow, life: Lifetime): void {
  const options = commandOptions(row.options, name)
  const positional = options.filter(({ argument }) => argument !== undefined)
  for (const { argument, help } of positional) command.argument(argument!, help)
  const flags = options.filter(({ argument }) => argument === undefined)
  for (const flag of flags.flatMap(flagsFor)) command.addOption(flag)
  const isGrouped = flags.some(({ group }) => group !== undefined)
  command
    .optionsGroup(isGrouped ? 'In every command:' : 'Options:')
    .option('--config <FILE>', `options from this file (${SETTINGS_FILE} of the project; PAYSIM_CONFIG)`)
    .option('--no-config', 'no options from a file')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\n${row.note ? `${row.note}\n\n` : ''}${examplesText(row)}`)
    .action(async (...given: unknown[]) => {
      const { config, ...flags } = command.opts<{ config?: string | boolean; [name: string]: unknown }>()
      // Commander passes an empty list for omitted arguments.
      for (const [index, { name }] of positional.entries())
        if ([given[index] ?? []].flat().length > 0) flags[name] = given[index]
      const file = settingsFile(config)
      const settings =
        file === undefined
          ? undefined
          : (await import('./settings-file.ts')).readSettings(file, process.cwd())
      const read = resolveOptions(name, row.options, { flags, env: process.env, settings })
      requireOutputs(options, read)
      process.exitCode = (await ACTIONS[name](read as never, life, file)) ?? 0
    })
}

const examplesText = ({ examples }: CommandRow): string => {
  const width = Math.max(...examples.map(([typed]) => typed.length))
  return ['Examples:', ...examples.map(([typed, what]) => `  ${typed.padEnd(width)}  ${what}`)].join('\n')
}

/** Marks the root of a project, where the search for settings stops. */
const TOPS = ['package.json', '.git']

/** The nearest settings file, from this folder up to the root of the project. */
function findSettings(from: string): string | undefined {
  const file = join(from, SETTINGS_FILE)
  if (existsSync(file)) return file
  const above = dirname(from)
  const isTop = above === from || TOPS.some((name) => existsSync(join(from, name)))
  return isTop ? undefined : findSettings(above)
}

function settingsFile(config: string | boolean | undefined): string | undefined {
  if (config === false) return undefined
  const named = typeof config === 'string' ? config : process.env.PAYSIM_CONFIG
  return named ? resolve(named) : findSettings(process.cwd())
}

function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command]')
    .action(async (name?: string) => {
      const named = name === undefined ? program : program.commands.find((command) => command.name() === name)
      if (named) named.outputHelp()
      // Makes Commander refuse the unknown command.
      else await program.parseAsync([name!], { from: 'user' })
    })
}

/** A longer list of names would not fit in a sentence. */
const NAMES_IN_SENTENCE_MAX = 20

/** Adds an example, or the existing commands or options if Commander suggests nothing. */
function withWhatIsRight(
  cause: CommanderError,
  command: Command,
  row: CommandRow | undefined,
): CommanderError {
  if (['commander.missingArgument', 'commander.excessArguments'].includes(cause.code) && row) {
    cause.message = `${cause.message.replace(/\.$/, '')}; an example is ${row.examples[0]![0].replace('paysim', typedCommand())}`
  }
  cause.message = cause.message.replace(/option '(.*)' argument missing/i, 'missing value of $1')
  const known = {
    'commander.unknownOption': ['--help', ...command.options.map(({ long }) => long)],
    'commander.unknownCommand': command.commands.map((each) => each.name()),
  }[cause.code]
  if (known === undefined || cause.message.includes('Did you mean')) return cause
  const name = command.parent ? `paysim ${command.name()}` : 'paysim'
  const list = known.length > NAMES_IN_SENTENCE_MAX ? 'what --help lists' : known.join(', ')
  cause.message += `; ${name} takes ${list}`
  return cause
}

export async function main(): Promise<void> {
  // The reader of the output may close it early, as `head` does.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EPIPE') process.exit()
    printText(`The output cannot be written: ${cause.message}.`, process.stderr)
    process.exit(FAILED)
  })
  const life = new Lifetime()
  try {
    await createProgram(await rowsFor(process.argv[2]), life).parseAsync()
    await life.end()
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return
    // Without a command, Commander has already printed the help.
    const isPrinted = cause instanceof CommanderError && cause.code === 'commander.help'
    const message = cause instanceof Error ? cause.message : String(cause)
    if (!isPrinted) printText(inOneSentence(message), process.stderr)
    process.exitCode = cause instanceof CommanderError || cause instanceof UsageError ? WRONGLY_USED : FAILED
    await life.endFailed()
  }
}

/** Commander's messages start with `error:` and a lower-case letter, and put a suggestion on its own line. */
const inOneSentence = (message: string) =>
  message
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
