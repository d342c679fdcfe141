/** Options shared by several commands. */
import { z } from 'zod'
import { type OptionMeta, option, required } from '../../spec/options/option.ts'
import { AuditOptions, DEFAULT_SANDBOX, SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import { LISTEN_OPTIONS, PORT_MAX, SIMULATOR_OPTIONS } from '../../spec/options/simulator.ts'
import {
  DurationOrMs,
  HTTP_URL_RULE,
  HttpUrl,
  nonEmptyText,
  ServerUrl,
  Switch,
  wholeNumber,
} from '../../spec/options/values.ts'
import { ReportFiles } from './output-files.ts'

export const flag = (help: string, more: Partial<OptionMeta> = {}) =>
  option(Switch, { help, shownDefault: 'off', ...more })

export const file = (help: string, more: Partial<OptionMeta> = {}) =>
  option(nonEmptyText('a file'), { help, placeholder: 'FILE', isPath: true, ...more })

export const plainText = (help: string, placeholder = 'TEXT', shownDefault = 'none') =>
  option(nonEmptyText('a text'), { help, placeholder, shownDefault })

export const time = (help: string, shownDefault: string) =>
  option(DurationOrMs, { help, placeholder: 'TIME', shownDefault })

export const url = (help: string) => option(HttpUrl, { help, placeholder: 'URL' })

export const server = (help: string) => option(ServerUrl, { help, placeholder: 'URL' })

export const Port = wholeNumber(0, PORT_MAX)
export const ofPort = (help: string) =>
  ({ help: `${help}; 0 takes a free one`, placeholder: 'PORT' }) as const

export const ofSecret = (help: string) => ({ help, placeholder: 'SECRET', secret: true }) as const

export const reports = () =>
  option(ReportFiles, {
    help: 'junit=FILE, json=FILE or html=FILE',
    flag: 'report',
    placeholder: 'KIND=FILE',
    repeatable: true,
    isPath: true,
    writes: 'The report',
    fallback: [],
  })

const JOBS_MAX = 64
export const jobs = (shownDefault: string) =>
  option(wholeNumber(1, JOBS_MAX), {
    help: 'how many to run at the same time',
    placeholder: 'N',
    shownDefault,
  })

export const ignoredRules = () =>
  option(
    z.strictObject({
      ignore: option(AuditOptions.shape.ignore.unwrap(), {
        help: 'an audit rule to ignore, such as "C7=legacy importer"',
        placeholder: 'RULE=REASON',
        env: 'PAYSIM_AUDIT_IGNORE',
        repeatable: true,
        fallback: {},
      }),
    }),
    { help: 'settings of the audit', flag: '', fallback: { ignore: {} } },
  )

const adminToken = () =>
  option(SIMULATOR_OPTIONS.adminToken.unwrap(), {
    help: 'the admin token of the running paysim',
    placeholder: 'TOKEN',
    env: 'PAYSIM_ADMIN_TOKEN',
    secret: true,
  })

/** Options of the commands that play scenarios at a target. */
export const atTarget = () => ({
  apiKey: option(SANDBOX_OPTIONS.apiKey.unwrap(), {
    help: "a platform's API key at the target; without it, each file gets its own sandbox there",
    placeholder: 'KEY',
    secret: true,
  }),
  adminToken: adminToken(),
  maxWait: time('how long to wait for such a target when a scenario moves the clock', '1m'),
})

/** Options of the commands that connect to a running paysim. */
export const running = () => ({
  target: option(ServerUrl, {
    help: 'the address of the running paysim',
    placeholder: 'URL',
    env: 'PAYSIM_URL',
    fallback: `http://127.0.0.1:${LISTEN_OPTIONS.port.def.defaultValue}`,
  }),
  adminToken: adminToken(),
})

export const runningSandbox = () => ({
  ...running(),
  sandbox: option(nonEmptyText('the name of a sandbox'), {
    help: 'the sandbox there',
    placeholder: 'NAME',
    fallback: DEFAULT_SANDBOX,
  }),
})

/** The files that `run` and `lint` read. */
export const scenarioFiles = (help: string) => ({
  scenarios: option(z.array(nonEmptyText('a file or a folder')), {
    help,
    argument: '[paths...]',
    env: 'PAYSIM_SCENARIOS',
    isPath: true,
    reads: 'a file or folder',
    fallback: [],
  }),
  bundled: flag('use the scenarios that come with paysim'),
})

const DEFAULT_WEBHOOK_URL = 'http://127.0.0.1:{port}/webhooks'

/** A URL in which `{port}` is replaced by a free port. */
export const addressWithPort = z
  .string(HTTP_URL_RULE)
  .refine((text) => HttpUrl.safeParse(text.replaceAll('{port}', '1')).success, HTTP_URL_RULE)

/** The command that runs the tests, and where they receive webhooks. */
export const testSuite = (command: string) => ({
  command: required(z.array(z.string()), {
    help: `the command that runs the tests, after --, such as: paysim ${command} -- npm test`,
    argument: '<command...>',
  }),
  webhook: option(
    z.strictObject({
      url: option(addressWithPort, {
        help: 'the webhook URL of the tests; {port} is replaced by a free port',
        placeholder: 'URL',
        env: 'PAYSIM_WEBHOOK_URL',
        fallback: DEFAULT_WEBHOOK_URL,
      }),
    }),
    { help: 'the webhook URL of the tests', fallback: { url: DEFAULT_WEBHOOK_URL } },
  ),
})

export const VARIABLES_NOTE =
  'The tests read PAYSIM_URL, PAYSIM_API_KEY, PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_URL and PAYSIM_WEBHOOK_PORT.'
