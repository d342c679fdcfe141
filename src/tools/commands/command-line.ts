/** The command `paysim`. The code of a subcommand is loaded when it runs, so that `paysim start` starts fast. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, Option as Flag } from 'commander'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { SIGNING_SECRETS } from '../../spec/environments/environment.ts'
import { type CommandOption, commandOptions, type Options } from '../../spec/options/option.ts'
import { readCommandLine, readOptions, readValue, UsageError } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { LISTEN_OPTIONS, ListenSettings, START_OPTIONS } from '../../spec/options/simulator.ts'
import { HttpUrl, instant, numberFromText, SigningSecret, wholeNumber } from '../../spec/options/values.ts'
import { PACKAGE_ROOT, VERSION } from '../../spec/package.ts'
import { Lifetime } from './lifetime.ts'

const FAILED = 1
const WRONGLY_USED = 2

const collect = (value: string, earlier: string[] = []) => [...earlier, value]

/** Of an option that takes a list with commas: given twice it takes both, where the second would replace the first. */
const collectList = (value: string, earlier?: string) =>
  earlier === undefined ? value : `${earlier},${value}`

const flagsFor = (options: Options): Flag[] => commandOptions(options).map(flagFor)

function flagFor(option: CommandOption): Flag {
  const { flag, placeholder, env, help, shownDefault, repeatable, name } = option
  const made = placeholder
    ? new Flag(`${flag} <${placeholder}>`, `${help} (${shownDefault}; ${env})`)
    : new Flag(flag, `${help} (${env})`)
  made.attributeName = () => name
  return repeatable ? made.argParser(collect) : made
}

/** Where scenarios are looked for: as asked, in the package, or in the folder `scenarios` of this place. */
function scenarioPaths(command: string, asked: string[], bundled = false): string[] {
  if (bundled) return [fileURLToPath(new URL('scenarios', PACKAGE_ROOT)), ...asked]
  if (asked.length > 0) return asked
  if (existsSync('scenarios')) return ['scenarios']
  throw new UsageError(
    `There is no folder scenarios here; paysim ${command} --bundled takes the scenarios that come with paysim.`,
  )
}

const RUNNING = `http://127.0.0.1:${LISTEN_OPTIONS.port.def.defaultValue}`

/** Which sandbox of which running paysim the command is about. */
const ofSandbox = (command: Command): Command =>
  command
    .option('--target <URL>', 'its address', RUNNING)
    .option('--sandbox <NAME>', 'its sandbox', DEFAULT_SANDBOX)
    .option('--admin-token <TOKEN>', 'its admin token')

function createProgram(life: Lifetime): Command {
  const program = new Command('paysim')
    .description("A payments service's staging environment on your own machine.")
    .version(VERSION)
  for (const add of COMMANDS) add(program, life)

  for (const command of [program, ...program.commands]) {
    command
      .exitOverride((cause) => {
        throw withKnownNames(cause, command)
      })
      .configureOutput({ outputError: () => {} })
      .showSuggestionAfterError()
  }
  return program
}

function addStart(program: Command, life: Lifetime): void {
  const start = program.command('start').description('start paysim; Ctrl+C or SIGTERM stops it')
  for (const flag of flagsFor(START_OPTIONS)) start.addOption(flag)
  start.action(async (flags) => {
    const options = readCommandLine(START_OPTIONS, flags, process.env)
    const { start } = await import('./start.ts')
    await start(options, life)
  })
}

function addRun(program: Command, life: Lifetime): void {
  program
    .command('run')
    .description('play scenario files and check every step')
    .argument(
      '[paths...]',
      "files, folders and patterns such as 'scenarios/refund-*'; without any, scenarios",
    )
    .option('--bundled', 'take the scenarios that come with paysim')
    .option('--filter <TEXT>', 'only files whose path or name contains this')
    .option('--tag <TAG>', 'only files with this tag, or with !TAG without it; may be repeated', collect)
    .option('--jobs <N>', 'how many files at the same time (one for each core, at most 4; 1 with --api-key)')
    .option('--watch', 'play again what changes, until Ctrl+C')
    .option('--bail', 'stop after the first file that fails')
    .option('--seed <N>', 'the seed of files that state none; a failure prints the one that was drawn')
    .option('--retries <N>', 'only 0: a second try would hide a race')
    .option('--target <URL>', 'play against this address instead of a simulator of its own')
    .option('--api-key <KEY>', "a platform's key at the target; without it each file gets a sandbox there")
    .option('--admin-token <TOKEN>', 'the admin token of the target')
    .option('--rate-limit <N>', 'requests a minute that a target with --api-key allows, or off (100)')
    .option('--patience <TIME>', 'how long such a target may take for what a moved clock would cause (1m)')
    .option('--profile <FILE>', 'what differs at the target, or is to differ in the simulator of its own')
    .option('--tls', 'speak HTTPS with the simulator of its own')
    .option('--compare', 'play against both and print the differences')
    .option('--learn <FILE>', 'with --compare: write what can be learned of them to this file, as a profile')
    .option('--report <KIND=FILE>', 'junit=FILE, json=FILE or html=FILE; may be repeated', collect)
    .action(async (paths, { report, tag, bundled, ...options }) => {
      const { run } = await import('./run.ts')
      const reports = report ?? []
      await run({ paths: scenarioPaths('run', paths, bundled), reports, tags: tag ?? [], ...options }, life)
    })
}

const VARIABLES_HELP =
  '\nThe tests read PAYSIM_URL, PAYSIM_API_KEY, PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_URL and PAYSIM_WEBHOOK_PORT.'

function addGauntlet(program: Command, life: Lifetime): void {
  program
    .command('gauntlet')
    .description('run your tests once per trouble, and say whether they and the money survive it')
    .argument('<command...>', 'what runs the tests, after --, such as: paysim gauntlet -- npm test')
    .option(
      '--only <NAMES>',
      'only troubles with one of these, separated by commas, in their name; may be repeated',
      collectList,
    )
    .option(
      '--trouble <FILE>',
      'a trouble of your own: the behaviors of a scenario file; may be repeated',
      collect,
    )
    .option('--quick', 'only about ten troubles that tell most, by what the tests ask for')
    .option('--shard <N/M>', 'only the Nth of M parts, for runs on several machines')
    .option('--failed', 'only what failed in the last run, by the file of --report json=FILE')
    .option(
      '--jobs <N>',
      'how many runs at the same time (two for each core, at most 8; 1 for a fixed webhook URL)',
    )
    .option(
      '--limit <TIME>',
      'end a run that takes longer, such as 2m (as long as its trouble explains, at least 30s)',
    )
    .option('--confirm', 'repeat a failed run before it is believed (where it took at most 15 s)')
    .option('--no-confirm', 'believe every failure at once')
    .option('--budget <TIME>', 'start no run after this long, such as 5m')
    .option(
      '--webhook-url <URL>',
      'where the tests receive webhooks; {port} is a free port (http://127.0.0.1:{port}/webhooks; PAYSIM_WEBHOOK_URL)',
    )
    .option(
      '--ignore <RULE=REASON>',
      'a rule of conduct that is not applied, such as "C7=legacy" (PAYSIM_CONDUCT_IGNORE); may be repeated',
      collect,
    )
    .option('--report <KIND=FILE>', 'junit=FILE, json=FILE or html=FILE; may be repeated', collect)
    .option('--baseline <FILE>', 'accept what this file lists, unless it got worse')
    .option('--update-baseline', 'write the baseline as it is now, and accept it')
    .addHelpText('after', VARIABLES_HELP)
    .action(async (command, { report, ...flags }) => {
      const { gauntlet } = await import('./gauntlet.ts')
      await gauntlet({ command, reports: report, ...flags }, life)
    })
}

function addExec(program: Command, life: Lifetime): void {
  program
    .command('exec')
    .description('run your tests once with a sandbox of their own, and say what would hurt in production')
    .argument('<command...>', 'what runs the tests, after --, such as: paysim exec -- npm test')
    .option(
      '--webhook-url <URL>',
      'where the tests receive webhooks; {port} is a free port (http://127.0.0.1:{port}/webhooks; PAYSIM_WEBHOOK_URL)',
    )
    .option(
      '--ignore <RULE=REASON>',
      'a rule of conduct that is not applied, such as "C7=legacy" (PAYSIM_CONDUCT_IGNORE); may be repeated',
      collect,
    )
    .option('--limit <TIME>', 'end it when it takes longer, such as 2m (10m)')
    .option('--report <KIND=FILE>', 'junit=FILE, json=FILE or html=FILE; may be repeated', collect)
    .addHelpText('after', VARIABLES_HELP)
    .action(async (command, flags) => {
      const { exec } = await import('./exec.ts')
      await exec({ command, ...flags }, life)
    })
}

function addLint(program: Command): void {
  program
    .command('lint')
    .description('print the mistakes in scenario files')
    .argument('[paths...]', 'files and folders; without any, scenarios')
    .option('--bundled', 'take the scenarios that come with paysim')
    .option('--schema', 'print the JSON Schema of the format instead')
    .action(async (paths, { schema, bundled }) => {
      const { lint } = await import('./lint.ts')
      await lint({ paths: schema ? [] : scenarioPaths('lint', paths, bundled), schema })
    })
}

function addRecord(program: Command): void {
  program
    .command('record')
    .description('write requests to a running paysim as a scenario file')
    .argument(
      '[requests...]',
      'such as req_3 and req_5; the requests that they depend on are added; default: all',
    )
    .option('--target <URL>', 'address of the running paysim', RUNNING)
    .option('--sandbox <NAME>', 'sandbox of the requests', DEFAULT_SANDBOX)
    .option('--admin-token <TOKEN>', 'admin token of the running paysim')
    .option('--name <TEXT>', 'the name of the scenario')
    .option('--minimal', 'expect only statuses, states, money and captured ids, and the ledger and webhooks')
    .option('--out <FILE>', 'write to this file instead of standard output')
    .action(async (requests, options) => {
      const { record } = await import('./record.ts')
      await record({ requests, ...options, target: readValue(HttpUrl, options.target, '--target') })
    })
}

function addConduct(program: Command): void {
  const conduct = program
    .command('conduct')
    .description('say what the platform did at a running paysim that would hurt in production')
  ofSandbox(conduct)
    .option(
      '--ignore <RULE=REASON>',
      'a rule that is not applied, such as "C7=legacy"; may be repeated',
      collect,
    )
    .option('--report <KIND=FILE>', 'junit=FILE, json=FILE or html=FILE; may be repeated', collect)
    .action(async (options) => {
      const { conduct } = await import('./conduct.ts')
      await conduct(options)
    })
}

function addExplain(program: Command): void {
  const explain = program
    .command('explain')
    .argument(
      '[ORDER]',
      'an order, a checkout or any other id, or an Idempotency-Key; left out, what moved money again',
    )
    .description('say what happened to an order at a running paysim, and what went wrong')
  ofSandbox(explain).action(async (about, options) => {
    const { explainOrder } = await import('./explain.ts')
    await explainOrder({ about, ...options })
  })
}

function addGrade(program: Command, life: Lifetime): void {
  program
    .command('grade')
    .description('send a webhook receiver what it meets in its life, and grade it')
    .argument('<url>', 'the address of the receiver, such as http://localhost:3000/webhooks')
    .requiredOption('--secret <SECRET>', 'the secret with which it verifies webhooks, whsec_…')
    .option('--probe <URL>', 'answers with how many events it has handled, so that duplicates can be judged')
    .option(
      '--probe-state <URL>',
      'answers with the state of the refund {id}, so that events out of order can be judged',
    )
    .option(
      '--start <COMMAND>',
      'starts the receiver, such as "node server.js", so that it can be killed and started again',
    )
    .option('--timeout <TIME>', 'within which each webhook must be answered', '15s')
    .option('--port <N>', 'of the sandbox that a receiver may read; 0 for any that is free', '0')
    .option('--report <KIND=FILE>', 'junit=FILE, json=FILE or html=FILE; may be repeated', collect)
    .action(async (url, options) => {
      const { grade } = await import('./grade.ts')
      await grade({ url, ...options }, life)
    })
}

function addListen(program: Command, life: Lifetime): void {
  const listen = program
    .command('listen')
    .description('print the webhooks of a running paysim, and send them on to your receiver; Ctrl+C ends it')
  ofSandbox(listen)
    .option('--forward-to <URL>', 'your receiver, such as http://localhost:3000/webhooks')
    .option(
      '--events <TYPES>',
      'only these, such as refund.*,checkout.confirmed (all); may be repeated',
      collectList,
    )
    .option(
      '--host <NAME>',
      `the name by which it reaches this machine, such as host.docker.internal from a container (127.0.0.1)`,
    )
    .action(async (options) => {
      const { listenToWebhooks } = await import('./listen.ts')
      await listenToWebhooks(options, life)
    })
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .description(
      'let a coding agent steer a running paysim: the Model Context Protocol on standard input and output',
    )
    .option('--target <URL>', 'its address', RUNNING)
    .option('--admin-token <TOKEN>', 'its admin token')
    .option('--tools <SET>', 'usual: the twelve that are used most; all: one for each verb', 'usual')
    .action(async (options) => {
      const { mcp } = await import('./mcp.ts')
      await mcp(options)
    })
}

function addHealth(program: Command): void {
  const health = program
    .command('health')
    .description('exit with 0 if paysim answers on this machine, with 1 if it does not')
  const served: Record<string, string> = {
    port: 'port that paysim serves on',
    tls: 'whether it serves HTTPS',
  }
  for (const option of commandOptions({ port: LISTEN_OPTIONS.port, tls: LISTEN_OPTIONS.tls })) {
    health.addOption(flagFor({ ...option, help: served[option.name]! }))
  }
  health.action(async (flags) => {
    const given = readOptions(ListenSettings, readCommandLine(LISTEN_OPTIONS, flags, process.env))
    const { health } = await import('./health.ts')
    await health(given.port, given.tls || given.tlsCert !== undefined || given.tlsCaOut !== undefined)
  })
}

function addProfile(program: Command): void {
  program
    .command('profile')
    .description('print the guesses that are values, as a file to correct for --profile')
    .option('--check <FILE>', 'say what this file changes instead')
    .action(async (options) => {
      const { profile } = await import('./profile.ts')
      await profile(options)
    })
}

function addLearn(program: Command, life: Lifetime): void {
  program
    .command('learn')
    .description('write what a HAR file shows of the real service as a profile')
    .argument('<file>', 'as browsers and proxies write it')
    .option('--out <FILE>', 'where the profile is written', 'profile.yaml')
    .option('--secret <SECRET>', 'what signs the webhooks that are in it')
    .action(async (file, options) => {
      const { learnFromHar } = await import('./learn.ts')
      await learnFromHar(file, options, life)
    })
}

function addShadow(program: Command, life: Lifetime): void {
  program
    .command('shadow')
    .description(
      'stand in front of the real service, play each request in a sandbox too, and say what differs',
    )
    .requiredOption('--target <URL>', 'the address of the real service')
    .option('--port <N>', 'where the platform calls it instead; 0 for any that is free', '4110')
    .option('--dashboard-port <N>', 'where the dashboard of the sandbox is; 0 for any that is free', '4111')
    .option('--profile <FILE>', 'the profile of the sandbox')
    .option('--learn <FILE>', 'when it ends, write what can be learned to this file, as a profile')
    .option('--report <KIND=FILE>', 'when it ends: json=FILE or html=FILE; may be repeated', collect)
    .action(async ({ target, port, dashboardPort, report, ...options }) => {
      const { shadow } = await import('./shadow.ts')
      const portOf = (text: string, flag: string) =>
        readValue(wholeNumber(0, 65_535), numberFromText(text), flag)
      const given = {
        ...options,
        reports: report,
        target: readValue(HttpUrl, target, '--target'),
        port: portOf(port, '--port'),
        dashboardPort: portOf(dashboardPort, '--dashboard-port'),
      }
      await shadow(given, life)
    })
}

function addSign(program: Command): void {
  program
    .command('sign')
    .description('print the headers of a webhook with this body, or send it')
    .argument('<body>', 'text, @FILE, or - for standard input')
    .option('--secret <SECRET>', 'the secret that signs it', SIGNING_SECRETS.staging)
    .option('--id <ID>', 'its webhook-id', 'evt_example')
    .option('--at <TIME>', 'its time, such as 2026-01-01T00:00:00Z; default: now')
    .option('--to <URL>', 'send it to this receiver, and print what that answers')
    .action(async (body, { secret, id, at, to }) => {
      const { sendSigned, sign } = await import('./sign.ts')
      const options = {
        secret: readValue(SigningSecret, secret, '--secret'),
        id,
        at: at && instant(at, '--at'),
      }
      if (to === undefined) {
        process.stdout.write(sign(body, options))
        return
      }
      const { isTaken, said } = await sendSigned(body, readValue(HttpUrl, to, '--to'), options)
      process.stdout.write(said)
      if (!isTaken) process.exitCode = 1
    })
}

function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command]')
    .action((name?: string) => {
      const named = name === undefined ? program : program.commands.find((one) => one.name() === name)
      const known = program.commands.map((one) => one.name())
      if (named === undefined) throw new UsageError(`Unknown command '${name}'${didYouMean(name!, known)}`)
      named.outputHelp()
    })
}

/** In the order of the help. */
const COMMANDS: readonly ((program: Command, life: Lifetime) => void)[] = [
  addStart,
  addRun,
  addGauntlet,
  addExec,
  addLint,
  addRecord,
  addConduct,
  addExplain,
  addGrade,
  addListen,
  addMcp,
  addHealth,
  addProfile,
  addLearn,
  addShadow,
  addSign,
  addHelp,
]

/** More would be no sentence. */
const NAMES_IN_SENTENCE_MAX = 18

/** Where Commander has no guess, the commands or the options that there are. */
function withKnownNames(cause: CommanderError, command: Command): CommanderError {
  const known = {
    'commander.unknownOption': ['--help', ...command.options.map(({ long }) => long)],
    'commander.unknownCommand': command.commands.map((one) => one.name()),
  }[cause.code]
  if (known === undefined || cause.message.includes('Did you mean')) return cause
  const name = command.parent ? `paysim ${command.name()}` : 'paysim'
  const list = known.length > NAMES_IN_SENTENCE_MAX ? 'what --help lists' : known.join(', ')
  cause.message += `; ${name} takes ${list}`
  return cause
}

export async function main(): Promise<void> {
  // What reads the output may have seen enough, such as head.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EPIPE') process.exit()
    process.stderr.write(`The output cannot be written: ${cause.message}.\n`)
    process.exit(FAILED)
  })
  const life = new Lifetime()
  try {
    await createProgram(life).parseAsync()
    await life.end()
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return
    // Without a command, Commander has printed the help already.
    const isPrinted = cause instanceof CommanderError && cause.code === 'commander.help'
    const message = cause instanceof Error ? cause.message : String(cause)
    if (!isPrinted) process.stderr.write(`${inOneSentence(message)}\n`)
    process.exitCode = cause instanceof CommanderError || cause instanceof UsageError ? WRONGLY_USED : FAILED
    await life.endFailed()
  }
}

/** Commander's messages begin with `error:` and a small letter, and have their guess on a line of its own. */
const inOneSentence = (message: string) =>
  message
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
