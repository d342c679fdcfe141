/**
 * Every command with its options, said once: the command line, its help, the variables, paysim.yaml, the completion of
 * shells and the documents are made from these rows. A command is handed one object with every value read.
 */
import { z } from 'zod'
import { RATE_LIMIT_REQUESTS } from '../../spec/contract/limits.ts'
import { SIGNING_SECRETS } from '../../spec/environments/environment.ts'
import { metaOf, type OptionMeta, option, required } from '../../spec/options/option.ts'
import { ConductOptions, DEFAULT_SANDBOX, SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import { LISTEN_OPTIONS, PROFILE_FILE, SIMULATOR_OPTIONS } from '../../spec/options/simulator.ts'
import {
  booleanFromText,
  DurationOrMs,
  EventPatterns,
  HTTP_URL_RULE,
  HttpUrl,
  listFromText,
  nonEmptyText,
  numberFromText,
  oneWordOf,
  ServerUrl,
  SigningSecret,
  Switch,
  TimeOrMs,
  wholeNumber,
} from '../../spec/options/values.ts'
import { command, START } from './command-row.ts'
import { REPORT_KINDS, reportFiles } from './output-files.ts'

// Kinds of options

const flag = (name: string, help: string, more: Partial<OptionMeta> = {}) =>
  option(Switch, { help, flag: name, fromText: booleanFromText, shownDefault: 'off', ...more })

const file = (name: string, help: string, more: Partial<OptionMeta> = {}) =>
  option(nonEmptyText('a file'), { help, flag: name, placeholder: 'FILE', isPath: true, ...more })

const time = (name: string, help: string, shownDefault: string) =>
  option(DurationOrMs, { help, flag: name, placeholder: 'TIME', shownDefault })

const report = <const Kind extends string>(kinds: readonly [Kind, ...Kind[]], when = '') =>
  option(reportFiles(kinds), {
    help: `${when}${kinds.map((kind) => `${kind}=FILE`).join(', ')}`.replace(/, (?=[^,]*$)/, ' or '),
    flag: '--report',
    placeholder: 'KIND=FILE',
    repeatable: true,
    isPath: true,
    writes: 'The report',
    shownDefault: 'none',
    fallback: [],
  })

const jobs = (shownDefault: string) =>
  option(wholeNumber(1, JOBS_MAX), {
    help: 'how many at the same time',
    flag: '--jobs',
    placeholder: 'N',
    fromText: numberFromText,
    shownDefault,
  })
const JOBS_MAX = 64

const port = (name: string, help: string, fallback: number) =>
  option(wholeNumber(0, 65_535), {
    help: `${help}; 0 takes a free one`,
    flag: name,
    placeholder: 'PORT',
    fromText: numberFromText,
    fallback,
  })

const profileOut = (fallback: string) =>
  option(nonEmptyText('a file'), {
    help: 'where the profile is written',
    flag: '--out',
    placeholder: 'FILE',
    isPath: true,
    writes: 'The profile',
    fallback,
  })

const secret = (help: string) => ({ help, flag: '--secret', placeholder: 'SECRET', secret: true }) as const

const { ignore: conductIgnore } = ConductOptions.shape
const ignored = () =>
  option(
    z.strictObject({
      ignore: option(conductIgnore.unwrap(), {
        help: 'a rule of conduct that is not applied, such as "C7=legacy importer"',
        flag: '--ignore',
        placeholder: 'RULE=REASON',
        env: 'PAYSIM_CONDUCT_IGNORE',
        repeatable: true,
        shownDefault: 'none',
        fallback: {},
      }),
    }),
    { help: 'how the platform is judged', fallback: { ignore: {} } },
  )

const adminToken = () =>
  option(SIMULATOR_OPTIONS.adminToken.unwrap(), {
    help: 'the admin token of the running paysim',
    flag: '--admin-token',
    placeholder: 'TOKEN',
    env: 'PAYSIM_ADMIN_TOKEN',
    secret: true,
  })

/** Options of the commands that play scenarios at a target. */
const atTarget = () => ({
  apiKey: option(SANDBOX_OPTIONS.apiKey.unwrap(), {
    help: "a platform's key at the target; without it each file gets a sandbox there",
    flag: '--api-key',
    placeholder: 'KEY',
    secret: true,
  }),
  adminToken: adminToken(),
  rateLimit: option(SANDBOX_OPTIONS.rateLimit.unwrap(), {
    help: 'requests a minute that a target with --api-key allows, or off',
    flag: '--rate-limit',
    placeholder: 'N',
    fromText: numberFromText,
    fallback: RATE_LIMIT_REQUESTS,
  }),
  patience: time('--patience', 'how long such a target may take where a scenario moves the clock', '1m'),
})

/** Options of the commands that talk to a running paysim. */
const running = () => ({
  target: option(ServerUrl, {
    help: 'the address of the running paysim',
    flag: '--target',
    placeholder: 'URL',
    env: 'PAYSIM_URL',
    fallback: `http://127.0.0.1:${LISTEN_OPTIONS.port.def.defaultValue}`,
  }),
  adminToken: adminToken(),
})

const runningSandbox = () => ({
  ...running(),
  sandbox: option(nonEmptyText('the name of a sandbox'), {
    help: 'its sandbox',
    flag: '--sandbox',
    placeholder: 'NAME',
    fallback: DEFAULT_SANDBOX,
  }),
})

/** How many troubles `--quick` takes of those that can act; those of one's own come on top. */
export const QUICK_TROUBLES = 10

/** The files that `run` and `lint` read. */
const scenarioFiles = (help: string) => ({
  scenarios: option(z.array(nonEmptyText('a file or a folder')), {
    help,
    argument: '[paths...]',
    env: 'PAYSIM_SCENARIOS',
    isPath: true,
    reads: 'a file or a folder',
    fromText: listFromText,
    fallback: [],
  }),
  bundled: flag('--bundled', 'take the scenarios that come with paysim'),
})

const DEFAULT_WEBHOOK_URL = 'http://127.0.0.1:{port}/webhooks'

/** The command that runs the tests, and the variables that it gets. */
const testSuite = (command: string) => ({
  command: required(z.array(z.string()), {
    help: `what runs the tests, after --, such as: paysim ${command} -- npm test`,
    argument: '<command...>',
  }),
  webhook: option(
    z.strictObject({
      url: option(
        z
          .string(HTTP_URL_RULE)
          .refine((text) => HttpUrl.safeParse(text.replaceAll('{port}', '1')).success, HTTP_URL_RULE),
        {
          help: 'where the tests receive webhooks; {port} is a free port',
          flag: '--webhook-url',
          placeholder: 'URL',
          env: 'PAYSIM_WEBHOOK_URL',
          fallback: DEFAULT_WEBHOOK_URL,
        },
      ),
    }),
    { help: 'where the tests receive webhooks', fallback: { url: DEFAULT_WEBHOOK_URL } },
  ),
  conduct: ignored(),
})

const VARIABLES_NOTE =
  'The tests read PAYSIM_URL, PAYSIM_API_KEY, PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_URL and PAYSIM_WEBHOOK_PORT.'

const SHARD_RULE = 'must be which part of how many, such as 2/5'
export interface Shard {
  number: number
  of: number
}
const Shard = z.string(SHARD_RULE).transform((text, { issues }): Shard => {
  const [, number, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { number: Number(number), of: Number(of) }
  if (!(shard.number >= 1 && shard.number <= shard.of))
    issues.push({ code: 'custom', input: text, message: SHARD_RULE })
  return shard
})

/** What `paysim init` writes a test in; where a project has several, the first that it finds. */
export const LANGUAGES = ['javascript', 'python', 'go', 'java'] as const
export const LANGUAGE_NAMES = `${LANGUAGES.slice(0, -1).join(', ')} or ${LANGUAGES.at(-1)}`

const HOST_RULE = 'must be a name of this machine, such as host.docker.internal'
const PROBE_RULE = 'must be an http or https URL with {id} in the place of the refund'

export const COMMANDS = {
  start: START,
  run: command({
    summary: 'play scenario files and check every step',
    options: () => ({
      ...scenarioFiles("files, folders and patterns such as 'scenarios/refund-*'; without any, scenarios"),
      filter: option(nonEmptyText('a text'), {
        help: 'only files whose path or name contains this',
        flag: '--filter',
        placeholder: 'TEXT',
      }),
      tags: option(z.array(nonEmptyText('a tag')), {
        help: 'only files with this tag, or with !TAG without it',
        flag: '--tag',
        placeholder: 'TAG',
        repeatable: true,
        fromText: listFromText,
        shownDefault: 'none',
        fallback: [],
      }),
      seed: option(SANDBOX_OPTIONS.seed.unwrap(), {
        help: 'the seed of files that state none; a failure prints the one that was drawn',
        flag: '--seed',
        placeholder: 'N',
        fromText: numberFromText,
        shownDefault: 'random',
      }),
      jobs: jobs('one for each core, at most 4; 1 with --api-key'),
      watch: flag('--watch', 'play again after each change, until Ctrl+C'),
      bail: flag('--bail', 'stop after the first file that fails'),
      retries: option(z.string(), {
        help: 'only 0: a second try would hide a race',
        flag: '--retries',
        placeholder: 'N',
      }),
      reports: report(REPORT_KINDS),
      target: option(ServerUrl, {
        help: 'play against this address instead of a simulator of its own',
        flag: '--target',
        placeholder: 'URL',
      }),
      ...atTarget(),
      profile: PROFILE_FILE,
      tls: flag('--tls', 'speak HTTPS with the simulator of its own'),
      compare: flag('--compare', 'play against both and print the differences'),
      learn: file('--learn', 'with --compare: write what can be learned of them to this file, as a profile', {
        writes: 'The profile',
      }),
    }),
    groups: {
      'Which files': ['bundled', 'filter', 'tags'],
      'How they are played': ['seed', 'jobs', 'watch', 'bail', 'retries', 'profile', 'tls'],
      'Somewhere else': ['target', 'apiKey', 'adminToken', 'rateLimit', 'patience', 'compare', 'learn'],
      'What is written': ['reports'],
    },
    examples: [
      ['paysim run', 'the files of the folder scenarios'],
      ['paysim run lost-answer.yaml --watch', 'one file, and again after each change'],
    ],
  }),
  gauntlet: command({
    summary: 'run your tests once per trouble, and say whether they and the money survive it',
    options: () => ({
      ...testSuite('gauntlet'),
      only: option(z.array(z.string()), {
        help: 'only troubles with one of these, separated by commas, in their name',
        flag: '--only',
        placeholder: 'NAMES',
        repeatable: true,
        fromText: listFromText,
        shownDefault: 'all',
      }),
      trouble: option(z.array(nonEmptyText('a file')), {
        help: 'a trouble of your own: the behaviors of a scenario file',
        flag: '--trouble',
        placeholder: 'FILE',
        repeatable: true,
        isPath: true,
        reads: 'a file',
        shownDefault: 'none',
        fallback: [],
      }),
      quick: flag('--quick', `only the ${QUICK_TROUBLES} troubles that tell most, by what the tests ask for`),
      shard: option(Shard, {
        help: 'only the Nth of M parts, for runs on several machines',
        flag: '--shard',
        placeholder: 'N/M',
      }),
      failed: flag('--failed', 'only what failed in the last run, by the file of --report json=FILE'),
      jobs: jobs('four for each core, at most 8; 1 for a fixed webhook URL'),
      limit: time(
        '--limit',
        'end a run that takes longer, such as 2m',
        'as long as its trouble explains, at least 30s',
      ),
      confirm: flag('--confirm', 'repeat a failed run before it is believed', {
        helpOfNo: 'believe every failure at once',
        shownDefault: 'where it took at most 15 s',
      }),
      budget: time('--budget', 'start no run after this long, such as 5m', 'none'),
      reports: report(REPORT_KINDS),
      baseline: file('--baseline', 'accept what this file lists, unless it got worse'),
      updateBaseline: flag('--update-baseline', 'write the baseline as it is now, and accept it'),
    }),
    groups: {
      'Which troubles': ['quick', 'only', 'trouble', 'failed', 'shard'],
      'How they are run': ['jobs', 'limit', 'confirm', 'budget', 'webhook'],
      'How they are judged': ['conduct', 'baseline', 'updateBaseline'],
      'What is written': ['reports'],
    },
    examples: [
      ['paysim gauntlet --quick -- npm test', `${QUICK_TROUBLES} troubles, for each change`],
      [
        'paysim gauntlet --report html=gauntlet.html -- pytest',
        'all troubles, and a page with what happened',
      ],
    ],
    note: VARIABLES_NOTE,
  }),
  exec: command({
    summary: 'run your tests once with a sandbox of their own, and say what would hurt in production',
    options: () => ({
      ...testSuite('exec'),
      limit: time('--limit', 'end it when it takes longer, such as 2m', '10m'),
      reports: report(REPORT_KINDS),
    }),
    examples: [
      ['paysim exec -- npm test', 'the tests once, and the verdict'],
      ['paysim exec --ignore "C7=legacy importer" -- pytest', 'without one rule, and why'],
    ],
    note: VARIABLES_NOTE,
  }),
  lint: command({
    summary: 'print the mistakes in scenario files',
    options: () => ({
      ...scenarioFiles('files and folders; without any, scenarios'),
      schema: flag('--schema', 'print the JSON Schema of the format instead'),
    }),
    examples: [
      ['paysim lint', 'the folder scenarios'],
      ['paysim lint --schema > scenario.schema.json', 'for an editor'],
    ],
  }),
  record: command({
    summary: 'write requests to a running paysim as a scenario file',
    options: () => ({
      requests: option(z.array(z.string()), {
        help: 'such as req_3 and req_5; the requests that they depend on are added; default: all',
        argument: '[requests...]',
        fallback: [],
      }),
      ...runningSandbox(),
      name: option(z.string(), { help: 'the name of the scenario', flag: '--name', placeholder: 'TEXT' }),
      minimal: flag(
        '--minimal',
        'expect only statuses, states, money and captured ids, and the ledger and webhooks',
      ),
      out: file('--out', 'write to this file', {
        shownDefault: 'standard output',
        writes: 'The scenario',
      }),
    }),
    examples: [
      ['paysim record --out refund.yaml', 'all requests so far'],
      ['paysim record req_3 req_5 --minimal', 'two of them, and what they depend on'],
    ],
  }),
  conduct: command({
    summary: 'say what the platform did at a running paysim that would hurt in production',
    options: () => ({
      ...runningSandbox(),
      conduct: ignored(),
      idle: flag('--idle', 'exit with 0 even if no request was received'),
      reports: report(REPORT_KINDS),
    }),
    examples: [
      ['paysim conduct', 'of the sandbox default'],
      ['paysim conduct --sandbox shop --report junit=conduct.xml', 'of another one, for CI'],
    ],
  }),
  explain: command({
    summary: 'say what happened to an order at a running paysim, and what went wrong',
    options: () => ({
      about: option(z.string(), {
        help: 'an order, a checkout or any other id, or an Idempotency-Key; left out, what moved money again',
        argument: '[ORDER]',
      }),
      ...runningSandbox(),
    }),
    examples: [
      ['paysim explain order-3', 'the story of one order'],
      ['paysim explain', 'all orders whose money moved again'],
    ],
  }),
  grade: command({
    summary: 'send a webhook receiver what it meets in its life, and grade it',
    options: () => ({
      url: required(HttpUrl, {
        help: 'the address of the receiver, such as http://localhost:3000/webhooks',
        argument: '<URL>',
      }),
      secret: required(SigningSecret, secret('the secret with which it verifies webhooks, whsec_…')),
      probe: option(HttpUrl, {
        help: 'answers with how many events it has handled, so that duplicates can be judged',
        flag: '--probe',
        placeholder: 'URL',
      }),
      probeState: option(
        z
          .string(PROBE_RULE)
          .refine(
            (text) => text.includes('{id}') && HttpUrl.safeParse(text.replaceAll('{id}', 'ref_1')).success,
            PROBE_RULE,
          ),
        {
          help: 'answers with the state of the refund {id}, so that events out of order can be judged',
          flag: '--probe-state',
          placeholder: 'URL',
        },
      ),
      start: option(nonEmptyText('a command'), {
        help: 'starts the receiver, such as "node server.js", so that it can be killed and started again',
        flag: '--start',
        placeholder: 'COMMAND',
      }),
      timeout: option(DurationOrMs, {
        help: 'within which each webhook must be answered',
        flag: '--timeout',
        placeholder: 'TIME',
        shownDefault: '15s',
        fallback: 15_000,
      }),
      port: port('--port', 'of the sandbox that a receiver may read', 0),
      reports: report(REPORT_KINDS),
    }),
    examples: [
      ['paysim grade http://localhost:3000/webhooks --secret $WEBHOOK_SECRET', 'a receiver that runs'],
      [
        'paysim grade http://localhost:3000/webhooks --secret $WEBHOOK_SECRET --start "node server.js"',
        'one that it may kill and start again',
      ],
    ],
  }),
  listen: command({
    summary: 'print the webhooks of a running paysim, and send them on to your receiver; Ctrl+C ends it',
    options: () => ({
      ...runningSandbox(),
      forwardTo: option(HttpUrl, {
        help: 'your receiver, such as http://localhost:3000/webhooks',
        flag: '--forward-to',
        placeholder: 'URL',
      }),
      events: option(EventPatterns, {
        help: 'only these, such as refund.*,checkout.confirmed',
        flag: '--events',
        placeholder: 'TYPES',
        repeatable: true,
        fromText: listFromText,
        shownDefault: 'all',
        fallback: ['*'],
      }),
      host: option(
        z.string(HOST_RULE).refine((text) => text !== '' && URL.canParse(`http://${text}/`), HOST_RULE),
        {
          help: 'the name by which it reaches this machine, such as host.docker.internal from a container',
          flag: '--host',
          placeholder: 'NAME',
          shownDefault: '127.0.0.1',
        },
      ),
    }),
    examples: [
      ['paysim listen', 'prints what is sent'],
      ['paysim listen --forward-to http://localhost:3000/webhooks --events "refund.*"', 'hands refunds on'],
    ],
  }),
  mcp: command({
    summary:
      'let a coding agent steer a running paysim: the Model Context Protocol on standard input and output',
    options: () => ({
      ...running(),
      tools: option(oneWordOf(['usual', 'all']), {
        help: 'usual: those that are used most; all: one for each verb',
        flag: '--tools',
        placeholder: 'SET',
        fallback: 'usual',
      }),
    }),
    examples: [
      ['paysim mcp', 'for the paysim that runs here'],
      ['paysim mcp --tools all --target http://127.0.0.1:4200', 'every verb, at another address'],
    ],
  }),
  health: command({
    summary: 'exit with 0 if paysim answers on this machine, with 1 if it does not',
    options: () => {
      const { port, tls, tlsCert, tlsCaOut } = LISTEN_OPTIONS
      const served = { fallback: port.def.defaultValue, ...metaOf(port), help: 'port that paysim serves on' }
      return {
        port: option(port.unwrap(), served),
        tls: option(tls.unwrap(), { ...metaOf(tls)!, help: 'whether it serves HTTPS', fallback: false }),
        tlsCert: option(tlsCert.unwrap(), { ...metaOf(tlsCert)!, hidden: true }),
        tlsCaOut: option(tlsCaOut.unwrap(), { ...metaOf(tlsCaOut)!, hidden: true }),
      }
    },
    examples: [
      ['paysim health', 'by the options of paysim start, for the health check of a container'],
      ['paysim health --port 4200', 'at another port'],
    ],
  }),
  profile: command({
    summary: 'print the guesses that are values, as a file to correct for --profile',
    options: () => ({ check: file('--check', 'say what this file changes instead') }),
    examples: [
      ['paysim profile > profile.yaml', 'every key with its default'],
      ['paysim profile --check profile.yaml', 'what is left of it'],
    ],
  }),
  fidelity: command({
    summary: 'compare paysim with the real service, and write the differences as a profile',
    options: () => ({
      file: option(nonEmptyText('a file'), {
        help: 'a recording to compare offline: HAR, or a JSON report of --proxy',
        argument: '[file]',
        isPath: true,
      }),
      target: option(ServerUrl, {
        help: 'the address of the real service, where the tour is played',
        flag: '--target',
        placeholder: 'URL',
      }),
      proxy: option(wholeNumber(0, 65_535), {
        help: 'stand in front of the service at this port instead, until Ctrl+C; 0 takes a free one',
        flag: '--proxy',
        placeholder: 'PORT',
        fromText: numberFromText,
      }),
      ...atTarget(),
      secret: option(nonEmptyText('a secret'), secret('what signs the webhooks in the recording')),
      profile: PROFILE_FILE,
      out: profileOut('fidelity.yaml'),
      since: file('--since', 'print what has changed since this profile was written'),
      reports: report(REPORT_KINDS),
    }),
    examples: [
      [
        'paysim fidelity --target https://staging.payments.example --api-key KEY',
        'plays the tour, within the rate limit',
      ],
      ['paysim fidelity traffic.har', 'compares a recording, offline'],
    ],
  }),
  sign: command({
    summary: 'print the headers of a webhook with this body, or send it',
    options: () => ({
      body: required(z.string(), { help: 'text, @FILE, or - for standard input', argument: '<body>' }),
      secret: option(SigningSecret, {
        ...secret('the secret that signs it'),
        shownDefault: SIGNING_SECRETS.staging,
        fallback: SIGNING_SECRETS.staging,
      }),
      id: option(z.string(), {
        help: 'its webhook-id',
        flag: '--id',
        placeholder: 'ID',
        shownDefault: "the body's id, or evt_example",
      }),
      at: option(TimeOrMs, {
        help: 'its time, such as 2026-01-01T00:00:00Z',
        flag: '--at',
        placeholder: 'TIME',
        shownDefault: 'now',
      }),
      to: option(HttpUrl, {
        help: 'send it to this receiver, and print what that answers',
        flag: '--to',
        placeholder: 'URL',
      }),
    }),
    examples: [
      ['paysim sign @event.json', 'the headers for the body in a file'],
      ['paysim sign @event.json --to http://localhost:3000/webhooks', 'sends it to a receiver'],
    ],
  }),
  init: command({
    summary:
      'write paysim.yaml, a scenario, a test and a CI job for the project of this folder; it overwrites nothing',
    options: () => ({
      language: option(oneWordOf(LANGUAGES), {
        help: `${LANGUAGE_NAMES}: what the test is written in`,
        flag: '--language',
        placeholder: 'NAME',
        shownDefault: 'by package.json, pyproject.toml, requirements.txt, go.mod or pom.xml',
      }),
    }),
    examples: [
      ['paysim init', 'in the folder of package.json, pyproject.toml, requirements.txt, go.mod or pom.xml'],
      ['paysim init --language python', 'where there are several of them'],
    ],
  }),
  completion: command({
    summary: 'print what bash, zsh or fish needs to complete the words of paysim',
    options: () => ({
      shell: required(oneWordOf(['bash', 'zsh', 'fish']), { help: 'bash, zsh or fish', argument: '<shell>' }),
    }),
    examples: [
      ['paysim completion bash >> ~/.bashrc', 'for zsh into ~/.zshrc, behind compinit'],
      ['paysim completion fish > ~/.config/fish/conf.d/paysim.fish', 'for fish'],
    ],
    note: 'It completes `npx paysim` too, unless the shell has a completion for npx already.',
  }),
}

export type CommandName = keyof typeof COMMANDS
type ShapeOf<Name extends CommandName> = ReturnType<(typeof COMMANDS)[Name]['options']>
/** The object that the action of a command gets: every option, read. */
export type Resolved<Name extends CommandName> = z.output<z.ZodObject<ShapeOf<Name>>>
