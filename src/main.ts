#!/usr/bin/env node
/** The command. What serving does not need is loaded when it is asked for. */
import { Command, CommanderError, Option as Flag } from 'commander'
import {
  DEFAULT_SIGNING_SECRET,
  FILE_OPTIONS,
  instant,
  LISTEN_OPTIONS,
  type Option,
  type OptionValues,
  SANDBOX_OPTIONS,
  SIMULATOR_OPTIONS,
  UsageError,
  VERSION,
} from './config.ts'

const START_OPTIONS = {
  ...LISTEN_OPTIONS,
  ...SANDBOX_OPTIONS,
  ...SIMULATOR_OPTIONS,
  ...FILE_OPTIONS,
}

const FAILED = 1
const WRONGLY_USED = 2

/**
 * Flags win over the environment; either is read by the option itself, and a wrong one is named as it was given. A variable
 * that is empty is not set, so that an image's own can be taken back.
 */
function readGiven<Options extends Record<string, Option<unknown>>>(
  options: Options,
  flags: Record<string, unknown>,
): Partial<OptionValues<Options>> {
  const given = Object.entries(options).flatMap(([name, option]) => {
    const fromFlag = flags[name]
    const fromEnvironment = process.env[option.env]
    if (fromFlag !== undefined) return [[name, option.read(fromFlag, option.flag)]]
    if (fromEnvironment) return [[name, option.read(fromEnvironment, option.env)]]
    return []
  })
  return Object.fromEntries(given)
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value]

function flagOf(name: string, { flag, placeholder, env, help, shown, list }: Option<unknown>): Flag {
  const made = new Flag(
    placeholder ? `${flag} <${placeholder}>` : flag,
    `${help} (${shown ? `${shown}; ` : ''}${env})`,
  )
  made.attributeName = () => name
  if (list) made.argParser(collect)
  return made
}

function createProgram(): Command {
  const program = new Command('paysim')
    .description("A payments service's staging environment on your own machine.")
    .version(VERSION)

  const start = program.command('start').description('serve until told to stop')
  for (const [name, option] of Object.entries(START_OPTIONS)) start.addOption(flagOf(name, option))
  start.action(async (flags) => {
    const options = readGiven(START_OPTIONS, flags)
    const { start } = await import('./commands/start.ts')
    await start(options)
  })

  program
    .command('run')
    .description('play scenario files and say whether each step saw what it must see')
    .argument('[paths...]', 'files, and folders of them', ['scenarios'])
    .option('--target <URL>', 'play against this address instead of a simulator of its own')
    .option('--api-key <KEY>', "a platform's key at the target; without one each file gets a sandbox there")
    .option('--admin-token <TOKEN>', "opens the target's tester's side")
    .option('--compare', 'play on both sides and say where they part ways')
    .option('--report <KIND=FILE>', 'junit=FILE or json=FILE; may be repeated', collect)
    .option('--bail', 'stop after the first file that fails')
    .option('--filter <TEXT>', 'only files whose path or name contains this')
    .action(async (paths, { report, ...options }) => {
      const { run } = await import('./commands/run.ts')
      await run({ paths, reports: report ?? [], ...options })
    })

  program
    .command('lint')
    .description('say what is wrong with scenario files')
    .argument('[paths...]', 'files, and folders of them', ['scenarios'])
    .option('--schema', 'print the JSON Schema of the format instead')
    .action(async (paths, { schema }) => {
      const { lint } = await import('./commands/lint.ts')
      await lint({ paths, schema })
    })

  program
    .command('record')
    .description('write what was asked of a paysim down as a scenario file')
    .argument(
      '[requests...]',
      'such as req_3 and req_5, with what they rely on; all of them if none is named',
    )
    .option('--target <URL>', 'where that paysim serves', `http://127.0.0.1:${LISTEN_OPTIONS.port.fallback}`)
    .option('--sandbox <NAME>', 'which of its sandboxes', 'default')
    .option('--admin-token <TOKEN>', "opens its tester's side")
    .option('--name <TEXT>', "the scenario's name")
    .option('--out <FILE>', 'write it there instead of standard output')
    .action(async (requests, options) => {
      const { record } = await import('./commands/record.ts')
      await record({ requests, ...options })
    })

  program
    .command('health')
    .description('exit with 0 if a paysim serves on this machine, with 1 if none does')
    .addOption(flagOf('port', LISTEN_OPTIONS.port))
    .action(async (flags) => {
      const { port } = readGiven({ port: LISTEN_OPTIONS.port }, flags)
      const { health } = await import('./commands/health.ts')
      await health(port ?? LISTEN_OPTIONS.port.fallback)
    })

  program
    .command('sign')
    .description('print the headers of a webhook with this body: text, @FILE, or - for standard input')
    .argument('<body>')
    .option('--secret <SECRET>', 'what signs it', DEFAULT_SIGNING_SECRET)
    .option('--id <ID>', 'its webhook-id', 'evt_example')
    .option('--at <TIME>', 'its time, such as 2026-01-01T00:00:00Z; now without it')
    .action(async (body, { secret, id, at }) => {
      const { sign } = await import('./commands/sign.ts')
      const options = { secret: SANDBOX_OPTIONS.signingSecret.read(secret, '--secret'), id }
      process.stdout.write(sign(body, { ...options, at: at && instant(at, '--at') }))
    })

  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .showSuggestionAfterError()
  }
  return program
}

async function main(): Promise<void> {
  try {
    await createProgram().parseAsync()
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return
    const message = cause instanceof Error ? cause.message : String(cause)
    // Whoever names no command has been shown all of them, and that says it.
    const isSaid = cause instanceof CommanderError && cause.code === 'commander.help'
    if (!isSaid) process.stderr.write(`${sentence(message)}\n`)
    process.exitCode = cause instanceof CommanderError || cause instanceof UsageError ? WRONGLY_USED : FAILED
  }
}

/** Commander begins in small letters, with a word that the exit code says already, and tells its suggestion on a second line. */
const sentence = (message: string) =>
  message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())

await main()
