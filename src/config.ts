/** Every option once: its name, its flag, its environment variable, its default, and what a right value looks like. */
import { readFileSync } from 'node:fs'
import { DURATION_MAX_MS, parseDuration } from './contract/duration.ts'
import { EVENT_TYPES, matchesEvent } from './contract/event.ts'
import { CLOCK_MAX_MS, RATE_LIMIT_REQUESTS, REFUND_DELAY_MS } from './contract/limits.ts'
import type { Fixture } from './control/fixture.ts'
import { changeValues, type StagingChanges, type StagingValues, stagingValues } from './staging/rules.ts'
import type { Durability } from './store/database.ts'
import { isSecret } from './webhooks/sign.ts'

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** A staging secret that everybody may know: it signs nothing of value. */
export const DEFAULT_SIGNING_SECRET = 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE='
export const DEFAULT_SANDBOX = 'default'
export const apiKeyOf = (sandbox: string) => `sk_staging_${sandbox}`

/** How a sandbox's clock starts. */
export type ClockStart = { mode: 'real' } | { mode: 'frozen'; at: number | undefined }

export type LogFormat = 'pretty' | 'json' | 'silent'

/** What one sandbox is made with, read and complete. */
export interface SandboxConfig {
  apiKey: string
  signingSecret: string
  rateLimit: number | 'off'
  refundDelayMs: number
  requireApproval: boolean
  staging: StagingValues
  seed: number | undefined
  clock: ClockStart
  webhook: { url: string; events: readonly string[] } | undefined
  /** What there is in it from the start, and after every reset. */
  fixture: Fixture | undefined
  /** When it is removed by itself, by the machine's time. */
  expiresAt: number | undefined
}

/** What the simulator around the sandboxes is made with. */
export interface SimulatorConfig {
  data: string | undefined
  durability: Durability
  publicUrl: string | undefined
  trustProxy: boolean
  adminToken: string | undefined
  log: LogFormat
  sandboxes: readonly string[]
}

/** Whoever started the program has to change something: a flag, a value, a file. */
export class UsageError extends Error {}

export class WrongOption extends UsageError {
  /** What HTTP would answer to a tester. */
  readonly status = 400

  /** A value that is secret is left out. */
  constructor(option: string, value: unknown, right: string) {
    super(`${option} must be ${right}${value === undefined ? '' : `, not ${JSON.stringify(value)}`}.`)
    this.name = 'WrongOption'
  }
}

export interface Option<Value> {
  flag: string
  /** What stands for the value in the help text; a flag without one is a switch. */
  placeholder?: string
  env: string
  help: string
  /** What the help text says happens without it. */
  shown?: string
  fallback: Value
  read(given: unknown, name: string): Value
  /** May be given several times. */
  list?: boolean
}

const option = <Value>(made: Option<Value>): Option<Value> => made

export const LISTEN_OPTIONS = {
  port: option({
    flag: '--port',
    placeholder: 'PORT',
    env: 'PAYSIM_PORT',
    help: 'port to listen on; 0 takes a free one',
    shown: '4100',
    fallback: 4100,
    read: wholeNumber(0, 65_535),
  }),
  host: option({
    flag: '--host',
    placeholder: 'HOST',
    env: 'PAYSIM_HOST',
    help: 'address to listen on',
    shown: '127.0.0.1',
    fallback: '127.0.0.1',
    read: text('an address such as 127.0.0.1 or 0.0.0.0'),
  }),
}

/** What `paysim start` reads from files; whoever embeds the simulator hands over what stands in them. */
export const FILE_OPTIONS = {
  scenario: option<string | undefined>({
    flag: '--scenario',
    placeholder: 'FILE',
    env: 'PAYSIM_SCENARIO',
    help: 'arm the behaviors of this file, or of all files in this folder, and again when they change',
    shown: 'none',
    fallback: undefined,
    read: text('a file or a folder'),
  }),
  fixture: option<string | undefined>({
    flag: '--fixture',
    placeholder: 'FILE',
    env: 'PAYSIM_FIXTURE',
    help: 'seed data of the sandbox "default", such as fixtures/demo.yaml',
    shown: 'none',
    fallback: undefined,
    read: text('a file'),
  }),
}

export const SIMULATOR_OPTIONS = {
  publicUrl: option<string | undefined>({
    flag: '--public-url',
    placeholder: 'URL',
    env: 'PAYSIM_PUBLIC_URL',
    help: 'base of every URL that is handed out',
    shown: 'from the request',
    fallback: undefined,
    read: (given, name) => httpUrl(given, name).replace(/\/+$/, ''),
  }),
  data: option<string | undefined>({
    flag: '--data',
    placeholder: 'DIR',
    env: 'PAYSIM_DATA',
    help: 'keep one SQLite file per sandbox here',
    shown: 'in memory',
    fallback: undefined,
    read: text('a folder'),
  }),
  durability: option<Durability>({
    flag: '--durability',
    placeholder: 'WHEN',
    env: 'PAYSIM_DURABILITY',
    help: 'commit: on disk before the answer; process: survives a crash of the process, not of the machine',
    shown: 'commit',
    fallback: 'commit',
    read: word(['commit', 'process']),
  }),
  trustProxy: option({
    flag: '--trust-proxy',
    env: 'PAYSIM_TRUST_PROXY',
    help: 'believe X-Forwarded-For',
    fallback: false,
    read: yesOrNo,
  }),
  adminToken: option<string | undefined>({
    flag: '--admin-token',
    placeholder: 'TOKEN',
    env: 'PAYSIM_ADMIN_TOKEN',
    help: 'what /_sim and the dashboard want as a bearer token',
    shown: 'none',
    fallback: undefined,
    read: text('a token'),
  }),
  log: option<LogFormat>({
    flag: '--log',
    placeholder: 'FORMAT',
    env: 'PAYSIM_LOG',
    help: 'pretty, json or silent',
    shown: 'pretty on a terminal, else json',
    fallback: 'silent',
    read: word(['pretty', 'json', 'silent']),
  }),
  sandboxes: option<readonly string[]>({
    flag: '--sandbox',
    placeholder: 'NAME',
    env: 'PAYSIM_SANDBOXES',
    help: 'one more sandbox, with the key sk_staging_NAME; may be repeated',
    fallback: [],
    read: (given, name) => {
      const names = (typeof given === 'string' ? given.split(',') : (given as string[])).map((one) =>
        sandboxName(one.trim(), name),
      )
      if (new Set([DEFAULT_SANDBOX, ...names]).size === names.length + 1) return names
      throw new WrongOption(name, given, `names that differ from each other and from "${DEFAULT_SANDBOX}"`)
    },
    list: true,
  }),
}

export const SANDBOX_OPTIONS = {
  apiKey: option<string | undefined>({
    flag: '--api-key',
    placeholder: 'KEY',
    env: 'PAYSIM_API_KEY',
    help: 'key of the sandbox "default"',
    shown: apiKeyOf(DEFAULT_SANDBOX),
    fallback: undefined,
    read: (given, name) => {
      if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given)) return given
      throw new WrongOption(name, given, 'printable ASCII without spaces')
    },
  }),
  signingSecret: option({
    flag: '--signing-secret',
    placeholder: 'SECRET',
    env: 'PAYSIM_SIGNING_SECRET',
    help: 'what signs its webhooks',
    shown: DEFAULT_SIGNING_SECRET,
    fallback: DEFAULT_SIGNING_SECRET,
    read: (given, name) => {
      if (typeof given === 'string' && isSecret(given)) return given
      throw new WrongOption(name, undefined, 'whsec_ and the base64 of 24 to 64 bytes')
    },
  }),
  webhookUrl: option<string | undefined>({
    flag: '--webhook-url',
    placeholder: 'URL',
    env: 'PAYSIM_WEBHOOK_URL',
    help: 'where its events are delivered',
    shown: 'none',
    fallback: undefined,
    read: httpUrl,
  }),
  webhookEvents: option<readonly string[]>({
    flag: '--webhook-events',
    placeholder: 'TYPES',
    env: 'PAYSIM_WEBHOOK_EVENTS',
    help: 'which events are delivered, such as refund.*,checkout.confirmed',
    shown: 'all',
    fallback: ['*'],
    read: eventPatterns,
  }),
  rateLimit: option<number | 'off'>({
    flag: '--rate-limit',
    placeholder: 'N',
    env: 'PAYSIM_RATE_LIMIT',
    help: 'requests a minute for each IP, or off',
    shown: String(RATE_LIMIT_REQUESTS),
    fallback: RATE_LIMIT_REQUESTS,
    read: (given, name) => (given === 'off' ? 'off' : wholeNumber(1, 1_000_000_000, ', or off')(given, name)),
  }),
  refundDelay: option({
    flag: '--refund-delay',
    placeholder: 'TIME',
    env: 'PAYSIM_REFUND_DELAY',
    help: 'how long a refund stays pending',
    shown: '5s',
    fallback: REFUND_DELAY_MS,
    read: duration,
  }),
  requireApproval: option({
    flag: '--require-approval',
    env: 'PAYSIM_REQUIRE_APPROVAL',
    help: 'confirm only what a buyer approved',
    fallback: false,
    read: yesOrNo,
  }),
  staging: option<StagingValues>({
    flag: '--staging',
    placeholder: 'FILE',
    env: 'PAYSIM_STAGING',
    help: 'JSON file with those of staging’s magic values that are to be others',
    shown: 'fixtures/staging.json',
    fallback: stagingValues,
    read: staging,
  }),
  seed: option<number | undefined>({
    flag: '--seed',
    placeholder: 'N',
    env: 'PAYSIM_SEED',
    help: 'the same seed, clock and requests give the same bytes',
    shown: 'random',
    fallback: undefined,
    read: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  }),
  clock: option<ClockStart>({
    flag: '--clock',
    placeholder: 'CLOCK',
    env: 'PAYSIM_CLOCK',
    help: 'real, frozen, or frozen@2026-01-01T00:00:00Z',
    shown: 'real',
    fallback: { mode: 'real' },
    read: clockStart,
  }),
}

export type OptionValues<Options> = {
  [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never
}

/** Reads what was given; what was not takes its default. `nameOf` says how the giver knows the option. */
export function readOptions<Options extends Record<string, Option<unknown>>>(
  options: Options,
  given: Readonly<Record<string, unknown>>,
  nameOf: (name: string, option: Option<unknown>) => string = (name) => name,
): OptionValues<Options> {
  return Object.fromEntries(
    Object.entries(options).map(([name, one]) => [
      name,
      given[name] === undefined ? one.fallback : one.read(given[name], nameOf(name, one)),
    ]),
  ) as OptionValues<Options>
}

/** What an embedder or a tester may say of a sandbox. */
export interface SandboxOptions {
  apiKey?: string | undefined
  signingSecret?: string | undefined
  rateLimit?: number | 'off' | undefined
  /** Milliseconds, or a duration such as `5s`. */
  refundDelay?: number | string | undefined
  requireApproval?: boolean | undefined
  /** Those of staging's magic values that are to be others, or the JSON file that has them. */
  staging?: StagingChanges | string | undefined
  seed?: number | undefined
  /** `real`, `frozen`, `frozen@2026-01-01T00:00:00Z`, or the same as an object. */
  clock?: string | { mode?: 'real' | 'frozen' | undefined; at?: string | number | undefined } | undefined
  webhook?: { url: string; secret?: string | undefined; events?: readonly string[] | undefined } | undefined
  /** What there is in it from the start, and after every reset. */
  fixture?: Fixture | undefined
}

/**
 * What an embedder may say of the simulator. What is said of sandboxes holds for each that does not say otherwise, but for
 * what only one should have: key, secret, webhook endpoint, seed and seed data are those of the sandbox `default`. Two
 * sandboxes with one seed would give the same ids, and an id that strays from one to the other would be found there.
 */
export interface SimulatorOptions extends SandboxOptions {
  data?: string | undefined
  durability?: Durability | undefined
  publicUrl?: string | undefined
  trustProxy?: boolean | undefined
  adminToken?: string | undefined
  log?: LogFormat | undefined
  sandboxes?: readonly string[] | undefined
}

export function sandboxConfig(name: string, given: SandboxOptions): SandboxConfig {
  const { webhook } = given
  const { apiKey, webhookUrl, webhookEvents, refundDelay, ...rest } = readOptions(SANDBOX_OPTIONS, {
    webhookUrl: webhook?.url,
    webhookEvents: webhook?.events,
    ...given,
    ...(webhook?.secret !== undefined && { signingSecret: webhook.secret }),
  })
  return {
    ...rest,
    refundDelayMs: refundDelay,
    apiKey: apiKey ?? apiKeyOf(name),
    webhook: webhookUrl === undefined ? undefined : { url: webhookUrl, events: webhookEvents },
    fixture: given.fixture,
    expiresAt: undefined,
  }
}

/** What every sandbox of a simulator has in common. */
export const usualOptions = ({
  rateLimit,
  refundDelay,
  requireApproval,
  clock,
  staging,
}: SandboxOptions): SandboxOptions => ({ rateLimit, refundDelay, requireApproval, clock, staging })

/** What a sandbox made from another one has in common with it: all but its name, its key and its end. */
export const optionsOf = ({
  signingSecret,
  rateLimit,
  refundDelayMs,
  requireApproval,
  seed,
  clock,
  staging,
  fixture,
}: SandboxConfig): SandboxOptions => ({
  signingSecret,
  rateLimit,
  refundDelay: refundDelayMs,
  requireApproval,
  seed,
  clock,
  staging,
  fixture,
})

export function sandboxName(given: unknown, option = 'name'): string {
  if (typeof given === 'string' && /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(given)) return given
  throw new WrongOption(option, given, 'a name of 1 to 63 letters, digits, - and _')
}

// What a right value looks like

function staging(given: unknown, name: string): StagingValues {
  try {
    return changeValues(typeof given === 'string' ? JSON.parse(readFileSync(given, 'utf8')) : given)
  } catch (cause) {
    throw new WrongOption(
      name,
      given,
      `magic values as in fixtures/staging.json (${(cause as Error).message})`,
    )
  }
}

function text(right: string) {
  return (given: unknown, name: string): string => {
    if (typeof given === 'string' && given !== '') return given
    throw new WrongOption(name, given, right)
  }
}

function word<const Words extends readonly string[]>(words: Words) {
  return (given: unknown, name: string): Words[number] => {
    if (words.includes(given as string)) return given as Words[number]
    throw new WrongOption(name, given, words.join(' or '))
  }
}

function wholeNumber(min: number, max: number, otherwise = '') {
  return (given: unknown, name: string): number => {
    const number = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
    if (Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max)
      return number as number
    throw new WrongOption(name, given, `a whole number from ${min} to ${max}${otherwise}`)
  }
}

function yesOrNo(given: unknown, name: string): boolean {
  if (typeof given === 'boolean') return given
  if (given === '1' || given === 'true' || given === 'on') return true
  if (given === '0' || given === 'false' || given === 'off' || given === '') return false
  throw new WrongOption(name, given, 'on or off')
}

function httpUrl(given: unknown, name: string): string {
  if (typeof given === 'string' && /^https?:\/\//i.test(given) && URL.canParse(given)) return given
  throw new WrongOption(name, given, 'an http or https URL')
}

/** Milliseconds as a number, or a duration as people write it. */
export function duration(given: unknown, name: string): number {
  if (isMilliseconds(given, DURATION_MAX_MS)) return given
  try {
    return parseDuration(String(given))
  } catch {
    throw new WrongOption(name, given, 'a duration such as 250ms, 5s, 2h or 2d, of a hundred years at most')
  }
}

/** Milliseconds since 1970, or a time as it is written. */
export function instant(given: unknown, name: string): number {
  const ms = given instanceof Date ? given.getTime() : typeof given === 'string' ? Date.parse(given) : given
  if (isMilliseconds(ms, CLOCK_MAX_MS)) return ms
  throw new WrongOption(name, given, 'a time such as 2026-01-01T00:00:00Z, from 1970 to 9000')
}

const isMilliseconds = (given: unknown, max: number): given is number =>
  Number.isSafeInteger(given) && (given as number) >= 0 && (given as number) <= max

function clockStart(given: unknown, name: string): ClockStart {
  if (typeof given === 'object' && given !== null) {
    const { at, mode } = given as { at?: unknown; mode?: unknown }
    if (mode === 'frozen' || (mode === undefined && at !== undefined)) {
      return { mode: 'frozen', at: at === undefined ? undefined : instant(at, name) }
    }
    return { mode: word(['real'])(mode ?? 'real', name) }
  }
  if (given === 'real') return { mode: 'real' }
  if (given === 'frozen') return { mode: 'frozen', at: undefined }
  const at = typeof given === 'string' && /^frozen@(.+)$/.exec(given)?.[1]
  if (at) return { mode: 'frozen', at: instant(at, name) }
  throw new WrongOption(name, given, 'real, frozen or frozen@2026-01-01T00:00:00Z')
}

/** `refund.completed`, `refund.*` or `*`. */
export function eventPatterns(given: unknown, name: string): readonly string[] {
  const patterns = typeof given === 'string' ? given.split(',').map((one) => one.trim()) : given
  const known = (pattern: unknown) =>
    typeof pattern === 'string' && EVENT_TYPES.some((type) => matchesEvent(pattern, type))
  if (Array.isArray(patterns) && patterns.length > 0 && patterns.every(known)) return patterns
  throw new WrongOption(name, given, 'event types such as refund.completed or refund.*')
}
