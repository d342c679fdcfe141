/** What a sandbox can be told. The comments are for hovering in an editor; a test holds that they say what the help says. */
import { z } from 'zod'
import { contractOf } from '../contract/contract.ts'
import { formatDuration } from '../contract/duration.ts'
import { RATE_LIMIT_REQUESTS, REFUND_DELAY_MS, TESTER_LIMITS } from '../contract/limits.ts'
import { ProfileChanges } from '../contract/profile.ts'
import type { Fixture } from '../control/fixture.ts'
import { apiKeyOf, ENVIRONMENTS, SIGNING_SECRETS } from '../environments/environment.ts'
import { stagingValues } from '../environments/values.ts'
import {
  type Given,
  metaOf,
  type OptionMaker,
  type OptionMeta,
  option,
  required,
  withFlagsAfter,
} from './option.ts'
import { readOptions } from './read.ts'
import {
  ApiKey,
  booleanFromText,
  ClockStart,
  DurationOrMs,
  EventPatterns,
  HttpUrl,
  IgnoredRules,
  listFromText,
  numberFromText,
  oneWordOf,
  SigningSecret,
  StagingOrFile,
  Switch,
  wholeNumber,
} from './values.ts'

export const DEFAULT_SANDBOX = 'default'

/** Every option of a sandbox says whether it is shared and whether it is copied. */
const sandboxOption: OptionMaker<OptionMeta & { shared: boolean; copied: boolean }> = option

const RATE_LIMIT_MAX = TESTER_LIMITS.rateLimit.max

export const WebhookOptions = z.strictObject({
  /** The URL that events are delivered to. */
  url: required(HttpUrl, {
    help: 'the URL that events are delivered to',
    flag: '--webhook-url',
    placeholder: 'URL',
    env: 'PAYSIM_WEBHOOK_URL',
  }),
  /** The secret that signs webhooks. */
  secret: option(SigningSecret, { help: 'the secret that signs webhooks', secret: true }),
  /** The events that are delivered, such as refund.*,checkout.confirmed. */
  events: option(EventPatterns, {
    help: 'the events that are delivered, such as refund.*,checkout.confirmed',
    flag: '--webhook-events',
    placeholder: 'TYPES',
    env: 'PAYSIM_WEBHOOK_EVENTS',
    fromText: listFromText,
    shownDefault: 'all',
    fallback: ['*'],
  }),
})

export const ConductOptions = z.strictObject({
  /** Rules of conduct that are not applied, each with a reason. */
  ignore: option(IgnoredRules, {
    help: 'rules of conduct that are not applied, each with a reason',
    flag: '--conduct-ignore',
    placeholder: 'C7=REASON',
    env: 'PAYSIM_CONDUCT_IGNORE',
    repeatable: true,
    shownDefault: 'none',
    fallback: {},
  }),
})

export const SANDBOX_OPTIONS = {
  /** Which of the service's two environments it simulates. */
  environment: sandboxOption(oneWordOf(ENVIRONMENTS), {
    help: "which of the service's two environments it simulates",
    fallback: 'staging',
    shared: false,
    copied: true,
  }),
  /** The API key. */
  apiKey: sandboxOption(ApiKey, {
    help: 'the API key',
    flag: '--api-key',
    placeholder: 'KEY',
    env: 'PAYSIM_API_KEY',
    shownDefault: apiKeyOf('staging', DEFAULT_SANDBOX),
    shared: false,
    copied: false,
  }),
  /** The secret that signs webhooks. */
  signingSecret: sandboxOption(SigningSecret, {
    help: 'the secret that signs webhooks',
    flag: '--signing-secret',
    placeholder: 'SECRET',
    env: 'PAYSIM_SIGNING_SECRET',
    // No fallback: each environment has its own (§6).
    shownDefault: SIGNING_SECRETS.staging,
    secret: true,
    shared: false,
    copied: true,
  }),
  /** Where events are delivered: the URL, a signing secret of its own, and which events. */
  webhook: sandboxOption(WebhookOptions, {
    help: 'where events are delivered: the URL, a signing secret of its own, and which events',
    shared: false,
    copied: false,
  }),
  /** Requests a minute for each IP, or off. */
  rateLimit: sandboxOption(
    z.union(
      [wholeNumber(1, RATE_LIMIT_MAX, ', or off'), z.literal('off')],
      `must be a whole number from 1 to ${RATE_LIMIT_MAX}, or off`,
    ),
    {
      help: 'requests a minute for each IP, or off',
      flag: '--rate-limit',
      placeholder: 'N',
      env: 'PAYSIM_RATE_LIMIT',
      fromText: numberFromText,
      // No fallback: the limit that was not asked for never refuses while the clock is frozen (D60).
      shownDefault: String(RATE_LIMIT_REQUESTS),
      shared: true,
      copied: true,
    },
  ),
  /** How long a refund stays pending: milliseconds, or a duration such as `5s`. */
  refundDelay: sandboxOption(DurationOrMs, {
    help: 'how long a refund stays pending',
    flag: '--refund-delay',
    placeholder: 'TIME',
    env: 'PAYSIM_REFUND_DELAY',
    shownDefault: formatDuration(REFUND_DELAY_MS),
    fallback: REFUND_DELAY_MS,
    shared: true,
    copied: true,
  }),
  /** A checkout is confirmed only after its buyer approved. */
  requireApproval: sandboxOption(Switch, {
    help: 'a checkout is confirmed only after its buyer approved',
    flag: '--require-approval',
    env: 'PAYSIM_REQUIRE_APPROVAL',
    fromText: booleanFromText,
    fallback: false,
    shared: true,
    copied: true,
  }),
  /** How the platform's conduct is judged: which rules are not applied. */
  conduct: sandboxOption(ConductOptions, {
    help: "how the platform's conduct is judged: which rules are not applied",
    fallback: { ignore: {} },
    shared: true,
    copied: true,
  }),
  /** Changes to staging's magic values, as in fixtures/staging.json, or the JSON file that has them. */
  staging: sandboxOption(StagingOrFile, {
    help: "changes to staging's magic values, as in fixtures/staging.json",
    flag: '--staging',
    placeholder: 'FILE',
    env: 'PAYSIM_STAGING',
    shownDefault: 'fixtures/staging.json',
    fallback: stagingValues,
    shared: true,
    copied: true,
  }),
  /** Guesses about the service that are wrong, as keys of a profile. */
  profile: sandboxOption(ProfileChanges, {
    help: 'guesses about the service that are wrong, as keys of a profile',
    shared: true,
    copied: true,
  }),
  /** The same seed, clock and requests give the same bytes. */
  seed: sandboxOption(wholeNumber(0, Number.MAX_SAFE_INTEGER), {
    help: 'the same seed, clock and requests give the same bytes',
    flag: '--seed',
    placeholder: 'N',
    env: 'PAYSIM_SEED',
    fromText: numberFromText,
    shownDefault: 'random',
    // With the seed of another sandbox, an id that strays from one to the other would be found there.
    shared: false,
    copied: true,
  }),
  /** real, frozen, or frozen@2026-01-01T00:00:00Z; or the same as an object. */
  clock: sandboxOption(ClockStart, {
    help: 'real, frozen, or frozen@2026-01-01T00:00:00Z',
    flag: '--clock',
    placeholder: 'CLOCK',
    env: 'PAYSIM_CLOCK',
    shownDefault: 'real',
    fallback: { mode: 'real' },
    shared: true,
    copied: true,
  }),
  /** Seed data: what is there from the start, and after every reset. */
  fixture: sandboxOption(z.custom<Fixture>(), {
    help: 'seed data: what is there from the start, and after every reset',
    shared: false,
    copied: true,
  }),
}

const { apiKey, signingSecret, webhook, rateLimit, clock } = SANDBOX_OPTIONS

/** What the sandbox `default` of production can be told at the start, beside what all sandboxes share. */
export const PRODUCTION_SANDBOX = withFlagsAfter('production', {
  apiKey,
  signingSecret,
  webhook,
  rateLimit,
  clock,
})

export const SandboxSettings = z.object(SANDBOX_OPTIONS)

export type SandboxOptions = Given<typeof SANDBOX_OPTIONS>

/** What one sandbox is made with: every option read, durations in milliseconds. */
export type SandboxConfig = z.output<typeof SandboxSettings> & {
  apiKey: string
  signingSecret: string
  /** When it is removed by itself, by the machine's time. */
  expiresAt: number | undefined
}
export type WebhookOptions = z.input<typeof WebhookOptions>

/** `name` is the one within its environment. */
export function sandboxConfig(name: string, given: SandboxOptions): SandboxConfig {
  const { profile, environment } = readOptions(
    SandboxSettings.pick({ profile: true, environment: true }),
    given,
  )
  // D48 is a key of the profile, and an option of its own.
  const refundDelay = given.refundDelay ?? contractOf(profile).refundDelayMs
  const config = readOptions(SandboxSettings, { ...given, refundDelay })
  return {
    ...config,
    apiKey: config.apiKey ?? apiKeyOf(environment, name),
    signingSecret: config.webhook?.secret ?? config.signingSecret ?? SIGNING_SECRETS[environment],
    expiresAt: undefined,
  }
}

/** What every sandbox of a simulator has in common. */
export const sharedOptions = (given: SandboxOptions): SandboxOptions => marked('shared', given)

/** What a sandbox that is made from another one takes over. A config can be given again, as every value reads as itself. */
export const copiedOptions = (config: SandboxConfig): SandboxOptions => marked('copied', config)

const marked = (mark: 'shared' | 'copied', given: SandboxOptions): SandboxOptions =>
  Object.fromEntries(
    Object.entries(SANDBOX_OPTIONS)
      .filter(([, schema]) => metaOf(schema)![mark])
      .map(([name]) => [name, given[name as keyof SandboxOptions]])
      .filter(([, value]) => value !== undefined),
  )
