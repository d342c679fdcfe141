/**
 * Every command with its options, defined once: the command line, its help, the variables, paysim.yaml, shell completion and the
 * documentation are generated from these rows. A command receives one object with all parsed values.
 */
import { z } from 'zod'
import { SIGNING_SECRETS } from '../../spec/environments/environment.ts'
import { grouped, metaOf, option, required } from '../../spec/options/option.ts'
import { SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import { LISTEN_OPTIONS, PROFILE, ProfileFile } from '../../spec/options/simulator.ts'
import {
  DurationOrMs,
  EventPatterns,
  HttpUrl,
  nonEmptyText,
  oneWordOf,
  SigningSecret,
  TimeOrMs,
} from '../../spec/options/values.ts'
import { command, START } from './command-row.ts'
import {
  atTarget,
  file,
  flag,
  jobs,
  ofPort,
  ofSecret,
  Port,
  plainText,
  reports,
  running,
  runningSandbox,
  scenarioFiles,
  server,
  url,
} from './kinds.ts'
import { TEST_COMMANDS } from './test-commands.ts'

const HOST_RULE = 'must be a host name of this machine, such as host.docker.internal'
const PROBE_RULE = 'must be an http or https URL with {id} for the refund'

const { port: listenPort, tls, tlsCert, tlsCaOut } = LISTEN_OPTIONS

const RUN = 'Run the simulator'
const PLAY = 'Scenarios'
const RECEIVE = 'Webhooks'
const MATCH = 'Match the real service'
const TOOLS = 'Shell and editor'

export const COMMANDS = {
  start: START,
  health: command({
    group: RUN,
    summary: 'exit with 0 if paysim responds on this machine, with 1 if it does not',
    options: {
      port: option(listenPort.unwrap(), {
        help: 'port that paysim listens on',
        placeholder: 'PORT',
        env: 'PAYSIM_PORT',
        fallback: listenPort.def.defaultValue,
      }),
      tls: option(tls.unwrap(), { help: 'whether it serves HTTPS', env: 'PAYSIM_TLS', fallback: false }),
      tlsCert: option(tlsCert.unwrap(), { ...metaOf(tlsCert)!, env: 'PAYSIM_TLS_CERT', hidden: true }),
      tlsCaOut: option(tlsCaOut.unwrap(), { ...metaOf(tlsCaOut)!, env: 'PAYSIM_TLS_CA_OUT', hidden: true }),
    },
    examples: [
      ['paysim health', 'reads the variables of paysim start, for the health check of a container'],
      ['paysim health --port 4200', 'at another port'],
    ],
  }),
  ...TEST_COMMANDS,
  run: command({
    group: PLAY,
    summary: 'run scenario files and check every step',
    options: {
      ...grouped('Files', {
        ...scenarioFiles('files and folders; default: scenarios'),
        filter: plainText('only files whose path or name contains this'),
        tags: option(z.array(nonEmptyText('a tag')), {
          help: 'only files with this tag, or with !TAG without it',
          flag: 'tag',
          placeholder: 'TAG',
          repeatable: true,
          fallback: [],
        }),
      }),
      ...grouped('Playing', {
        seed: option(SANDBOX_OPTIONS.seed.unwrap(), {
          help: 'the seed for files without one; a failure prints the seed it used',
          placeholder: 'N',
          shownDefault: 'random',
        }),
        jobs: jobs('one for each core, at most 4; 1 with --api-key'),
        watch: flag('run again after each change, until Ctrl+C'),
        bail: flag('stop after the first file that fails'),
        profile: option(ProfileFile, PROFILE),
        tls: flag('use HTTPS for the built-in simulator'),
      }),
      ...grouped('Against another server', {
        target: server('run against this address instead of the built-in simulator'),
        ...atTarget(),
        compare: flag('run against both and print the differences'),
        learn: file('with --compare: write the differences to this file, as a profile', {
          writes: 'The profile',
        }),
      }),
      ...grouped('Output', { reports: reports() }),
    },
    examples: [
      ['paysim run', 'the files of the folder scenarios'],
      ['paysim run lost-answer.yaml --watch', 'one file, and again after each change'],
    ],
  }),
  lint: command({
    group: PLAY,
    summary: 'print the mistakes in scenario files',
    options: {
      ...scenarioFiles('files and folders; default: scenarios'),
      schema: flag('print the JSON Schema of the format instead'),
    },
    examples: [
      ['paysim lint', 'the folder scenarios'],
      ['paysim lint --schema > scenario.schema.json', 'for an editor'],
    ],
  }),
  record: command({
    group: PLAY,
    summary: 'write requests to a running paysim as a scenario file',
    options: {
      requests: option(z.array(z.string()), {
        help: 'such as req_3 and req_5, plus the requests they depend on; default: all requests',
        argument: '[requests...]',
        fallback: [],
      }),
      ...runningSandbox(),
      name: plainText('the name of the scenario'),
      out: file('write to this file', { shownDefault: 'standard output', writes: 'The scenario' }),
    },
    examples: [
      ['paysim record --out refund.yaml', 'all requests so far'],
      ['paysim record req_3 req_5', 'two requests, and the requests they depend on'],
    ],
  }),
  listen: command({
    group: RECEIVE,
    summary: 'print the webhooks of a running paysim, and forward them to your receiver; Ctrl+C ends it',
    options: {
      ...runningSandbox(),
      forwardTo: url('your receiver, such as http://localhost:3000/webhooks'),
      events: option(EventPatterns, {
        help: 'only these, such as refund.*,checkout.confirmed',
        placeholder: 'TYPES',
        repeatable: true,
        shownDefault: 'all',
        fallback: ['*'],
      }),
      host: option(
        z.string(HOST_RULE).refine((text) => text !== '' && URL.canParse(`http://${text}/`), HOST_RULE),
        {
          help: 'the name by which paysim reaches this machine, such as host.docker.internal from a container',
          placeholder: 'NAME',
          shownDefault: '127.0.0.1',
        },
      ),
    },
    examples: [
      ['paysim listen', 'prints each webhook'],
      [
        'paysim listen --forward-to http://localhost:3000/webhooks --events "refund.*"',
        'forwards the events of refunds',
      ],
    ],
  }),
  grade: command({
    group: RECEIVE,
    summary: 'send valid, forged, duplicate and late webhooks to a receiver, and grade it',
    options: {
      url: required(HttpUrl, {
        help: 'the address of the receiver, such as http://localhost:3000/webhooks',
        argument: '<URL>',
      }),
      secret: required(SigningSecret, ofSecret("the receiver's signing secret (whsec_…)")),
      probe: url('returns how many events the receiver has handled, to detect duplicates'),
      probeState: option(
        z
          .string(PROBE_RULE)
          .refine(
            (text) => text.includes('{id}') && HttpUrl.safeParse(text.replaceAll('{id}', 'ref_1')).success,
            PROBE_RULE,
          ),
        {
          help: 'returns the state of the refund {id}, to detect events handled out of order',
          placeholder: 'URL',
        },
      ),
      start: plainText(
        'the command that starts the receiver, such as "node server.js", to kill and restart it',
        'COMMAND',
      ),
      timeout: option(DurationOrMs, {
        help: 'how long the receiver may take to respond to each webhook',
        placeholder: 'TIME',
        shownDefault: '15s',
        fallback: 15_000,
      }),
      port: option(Port, { ...ofPort('port of the sandbox that the receiver may read'), fallback: 0 }),
      reports: reports(),
    },
    examples: [
      ['paysim grade http://localhost:3000/webhooks --secret $WEBHOOK_SECRET', 'grades a running receiver'],
      [
        'paysim grade http://localhost:3000/webhooks --secret $WEBHOOK_SECRET --start "node server.js"',
        'starts, kills and restarts the receiver',
      ],
    ],
  }),
  sign: command({
    group: RECEIVE,
    summary: 'print the headers of a webhook with this body',
    options: {
      body: required(z.string(), { help: 'text, @FILE, or - for standard input', argument: '<body>' }),
      secret: option(SigningSecret, {
        ...ofSecret('the secret that signs it'),
        fallback: SIGNING_SECRETS.staging,
      }),
      id: plainText('its webhook-id', 'ID', "the body's id, or evt_example"),
      at: option(TimeOrMs, {
        help: 'its time, such as 2026-01-01T00:00:00Z',
        placeholder: 'TIME',
        shownDefault: 'now',
      }),
    },
    examples: [
      ['paysim sign @event.json', 'prints the headers for the body in a file'],
      ['paysim sign @event.json --at 2026-01-01T00:00:00Z', 'with an old timestamp'],
    ],
  }),
  fidelity: command({
    group: MATCH,
    summary: 'compare paysim with the real service, and write the differences as a profile',
    options: {
      file: option(nonEmptyText('a file'), {
        help: 'a recording to compare offline: HAR, or a JSON report of --proxy',
        argument: '[file]',
        isPath: true,
      }),
      target: server('the address of the real service, to run the tour against'),
      proxy: option(
        Port,
        ofPort('act as a proxy in front of the service at this port instead, until Ctrl+C'),
      ),
      ...atTarget(),
      profile: option(ProfileFile, PROFILE),
      out: option(nonEmptyText('a file'), {
        help: 'write the profile to this file',
        placeholder: 'FILE',
        isPath: true,
        writes: 'The profile',
        fallback: 'fidelity.yaml',
      }),
      since: file('print what has changed since this profile was written'),
      reports: reports(),
    },
    examples: [
      ['paysim fidelity --target https://staging.payments.example --api-key KEY', 'runs the tour'],
      ['paysim fidelity traffic.har', 'compares a recording, offline'],
    ],
  }),
  profile: command({
    group: MATCH,
    summary: 'print every configurable assumption about the service as YAML, for --profile',
    options: { check: file('print what this file changes instead') },
    examples: [
      ['paysim profile > profile.yaml', 'every key with its default'],
      ['paysim profile --check profile.yaml', 'only the keys that differ from their defaults'],
    ],
  }),
  mcp: command({
    group: TOOLS,
    summary: 'let a coding agent control a running paysim over the Model Context Protocol (stdio)',
    options: {
      ...running(),
      tools: option(oneWordOf(['default', 'all']), {
        help: 'default: the most common tools; all: one tool for each verb',
        placeholder: 'SET',
        fallback: 'default',
      }),
    },
    examples: [
      ['paysim mcp', 'for the paysim at the default address'],
      ['paysim mcp --tools all --target http://127.0.0.1:4200', 'every verb, at another address'],
    ],
  }),
  completion: command({
    group: TOOLS,
    summary: 'print the completion script for bash, zsh or fish',
    options: {
      shell: required(oneWordOf(['bash', 'zsh', 'fish']), { help: 'bash, zsh or fish', argument: '<shell>' }),
    },
    examples: [
      ['paysim completion bash >> ~/.bashrc', 'for zsh into ~/.zshrc, behind compinit'],
      ['paysim completion fish > ~/.config/fish/conf.d/paysim.fish', 'for fish'],
    ],
    note: 'It completes `npx paysim` too, unless the shell has a completion for npx already.',
  }),
}

export type CommandName = keyof typeof COMMANDS
/** The object that the action of a command receives: every option, parsed. */
export type Resolved<Name extends CommandName> = z.output<z.ZodObject<(typeof COMMANDS)[Name]['options']>>
