/** The options of a sandbox. */
import { z } from 'zod'
import { contractOf } from '../contract/contract.ts'
import { RATE_LIMIT_REQUESTS, TESTER_LIMITS } from '../contract/limits.ts'
import { ProfileChanges } from '../contract/profile.ts'
import { refund } from '../contract/resources/refund.ts'
import type { Written } from '../contract/written.ts'
import { apiKeyOf, ENVIRONMENTS, SIGNING_SECRETS } from '../environments/environment.ts'
import { stagingValues } from '../environments/values.ts'
import type { Fixture } from './fixture.ts'
import { metaOf, type OptionMaker, type OptionMeta, option, required, withFlagsAfter } from './option.ts'
import { readOptions } from './read.ts'
import {
  ApiKey,
  booleanFromText,
  ClockStart,
  DurationOrMs,
  EventPatterns,
  HeaderNames,
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

/** The same as `option`, but `shared` and `copied` must be given. */
const sandboxOption: OptionMaker<OptionMeta & { shared: boolean; copied: boolean }> = option

const RATE_LIMIT_MAX = TESTER_LIMITS.rateLimit.max

export const WebhookOptions = z.strictObject({
  url: required(HttpUrl, {
    help: 'the URL that events are delivered to',
    flag: '--webhook-url',
    placeholder: 'URL',
    env: 'PAYSIM_WEBHOOK_URL',
  }),
  secret: option(SigningSecret, {
    help: 'the secret that signs webhooks',
    inCode: "`whsec_` and the base64 of 24 to 64 bytes; left out, the sandbox's own",
    secret: true,
  }),
  events: option(EventPatterns, {
    help: 'the events that are delivered, such as refund.*,checkout.confirmed',
    inCode: 'Left out, all',
    flag: '--webhook-events',
    placeholder: 'TYPES',
    env: 'PAYSIM_WEBHOOK_EVENTS',
    fromText: listFromText,
    shownDefault: 'all',
    fallback: ['*'],
  }),
})
export type WebhookOptions = Written<typeof WebhookOptions>

export const WebhookSettings = WebhookOptions.extend({
  overlap: option(DurationOrMs, {
    help: "how long the secret before this one signs too, such as 1d by the sandbox's clock",
    inCode: 'Each webhook has two signatures then; left out, it signs no more',
  }),
})

/** Where a running sandbox's webhooks go from now on. */
export type WebhookSettings = Written<typeof WebhookSettings>

const LEASE_MS = 15_000

export const ListenerSettings = WebhookOptions.omit({ secret: true }).extend({
  lease: option(DurationOrMs, {
    help: 'after how long it counts as gone unless it says again that it listens',
    inCode: "Left out, 15 seconds of the machine's time",
    fallback: LEASE_MS,
  }),
})

/** A temporary receiver of webhooks (`paysim listen`) in place of the endpoint. */
export type ListenerSettings = Written<typeof ListenerSettings>

export const ConductOptions = z.strictObject({
  ignore: option(IgnoredRules, {
    help: 'rules of conduct that are not applied, each with a reason',
    inCode: "`{ C7: 'legacy importer' }`, or as text `C7=legacy importer`",
    flag: '--conduct-ignore',
    placeholder: 'C7=REASON',
    env: 'PAYSIM_CONDUCT_IGNORE',
    repeatable: true,
    shownDefault: 'none',
    fallback: {},
  }),
})
export type ConductOptions = Written<typeof ConductOptions>

export const JournalOptions = z.strictObject({
  headers: option(HeaderNames, {
    help: 'headers of requests that are journaled too, such as x-trace',
    flag: '--journal-headers',
    placeholder: 'NAMES',
    env: 'PAYSIM_JOURNAL_HEADERS',
    fromText: listFromText,
    shownDefault: 'none',
    fallback: [],
  }),
})

const WITHOUT_SEED_DATA = {
  environment: sandboxOption(oneWordOf(ENVIRONMENTS), {
    help: "which of the service's two environments it simulates",
    fallback: 'staging',
    shared: false,
    copied: true,
  }),
  apiKey: sandboxOption(ApiKey, {
    help: 'the API key',
    inCode: "Left out, `sk_staging_` and the sandbox's name; in production `sk_live_` and the name",
    flag: '--api-key',
    placeholder: 'KEY',
    env: 'PAYSIM_API_KEY',
    shownDefault: apiKeyOf('staging', DEFAULT_SANDBOX),
    shared: false,
    copied: false,
  }),
  signingSecret: sandboxOption(SigningSecret, {
    help: 'the secret that signs webhooks',
    inCode: '`whsec_` and the base64 of 24 to 64 bytes',
    flag: '--signing-secret',
    placeholder: 'SECRET',
    env: 'PAYSIM_SIGNING_SECRET',
    // No fallback: the default depends on the environment (§6).
    shownDefault: SIGNING_SECRETS.staging,
    secret: true,
    shared: false,
    copied: true,
  }),
  webhook: sandboxOption(WebhookOptions, {
    help: 'where events are delivered: the URL, a signing secret of its own, and which events',
    shared: false,
    copied: false,
  }),
  rateLimit: sandboxOption(
    z.union(
      [wholeNumber(1, RATE_LIMIT_MAX, ', or off'), z.literal('off')],
      `must be a whole number from 1 to ${RATE_LIMIT_MAX}, or off`,
    ),
    {
      help: 'requests a minute for each IP, or off',
      inCode: `Left out, ${RATE_LIMIT_REQUESTS}, which are only counted while the clock is frozen`,
      flag: '--rate-limit',
      placeholder: 'N',
      env: 'PAYSIM_RATE_LIMIT',
      fromText: numberFromText,
      // No fallback: without an explicit limit, requests are never refused while the clock is frozen (D60).
      shownDefault: String(RATE_LIMIT_REQUESTS),
      shared: true,
      copied: true,
    },
  ),
  trustProxy: sandboxOption(Switch, {
    help: 'take the IP of the client from X-Forwarded-For',
    flag: '--trust-proxy',
    env: 'PAYSIM_TRUST_PROXY',
    fromText: booleanFromText,
    fallback: false,
    shared: true,
    copied: true,
  }),
  refundDelay: sandboxOption(DurationOrMs, {
    help: 'how long a refund stays pending',
    inCode: 'Milliseconds, or a duration such as `5s`',
    flag: '--refund-delay',
    placeholder: 'TIME',
    env: 'PAYSIM_REFUND_DELAY',
    // No fallback: left out, it is that of the profile (D48).
    shownDefault: refund.moves.complete.after,
    shared: true,
    copied: true,
  }),
  requireApproval: sandboxOption(Switch, {
    help: 'a checkout is confirmed only after its buyer approved',
    inCode: 'Left out, false; in production it always is so',
    flag: '--require-approval',
    env: 'PAYSIM_REQUIRE_APPROVAL',
    fromText: booleanFromText,
    fallback: false,
    shared: true,
    copied: true,
  }),
  conduct: sandboxOption(ConductOptions, {
    help: "how the platform's conduct is judged: which rules are not applied",
    fallback: { ignore: {} },
    shared: true,
    copied: true,
  }),
  journal: sandboxOption(JournalOptions, {
    help: 'what is kept of each request beside what always is: which headers',
    fallback: { headers: [] },
    shared: true,
    copied: true,
  }),
  staging: sandboxOption(StagingOrFile, {
    help: "changes to staging's magic values, as in fixtures/staging.json",
    inCode: 'Or the JSON file that has them',
    flag: '--staging',
    placeholder: 'FILE',
    env: 'PAYSIM_STAGING',
    isPath: true,
    shownDefault: 'fixtures/staging.json',
    fallback: stagingValues,
    shared: true,
    copied: true,
  }),
  profile: sandboxOption(ProfileChanges, {
    help: 'guesses about the service that are wrong, as keys of a profile',
    shared: true,
    copied: true,
  }),
  seed: sandboxOption(wholeNumber(0, Number.MAX_SAFE_INTEGER), {
    help: 'the same seed, clock and requests give the same bytes',
    inCode: 'Left out, random',
    flag: '--seed',
    placeholder: 'N',
    env: 'PAYSIM_SEED',
    fromText: numberFromText,
    shownDefault: 'random',
    // Not shared: two sandboxes with one seed would make the same ids, and a platform that mixes the
    // sandboxes up would find the other's resources.
    shared: false,
    copied: true,
  }),
  clock: sandboxOption(ClockStart, {
    help: 'real, frozen, or frozen@2026-01-01T00:00:00Z',
    inCode: 'Or the same as an object',
    flag: '--clock',
    placeholder: 'CLOCK',
    env: 'PAYSIM_CLOCK',
    shownDefault: 'real',
    fallback: { mode: 'real' },
    shared: true,
    copied: true,
  }),
}

export const UnseededOptions = z.object(WITHOUT_SEED_DATA)
export type UnseededOptions = Written<typeof UnseededOptions>

/** What a sandbox can be told. `Seed`: how seed data may be given. */
export interface SandboxOptions<Seed = Fixture> extends UnseededOptions {
  /** Seed data: what is there from the start, and after every reset. Tests with vitest may name a file, or demo. */
  fixture?: Seed | undefined
}

export const SANDBOX_OPTIONS = {
  ...WITHOUT_SEED_DATA,
  fixture: sandboxOption(z.custom<Fixture>(), {
    help: 'seed data: what is there from the start, and after every reset',
    shared: false,
    copied: true,
  }),
}

const { apiKey, signingSecret, webhook, rateLimit, clock } = SANDBOX_OPTIONS

/** The options of production's sandbox `default` at the start; the shared ones hold for it too. */
export const PRODUCTION_SANDBOX = withFlagsAfter(
  'production',
  { apiKey, signingSecret, webhook, rateLimit, clock },
  {
    apiKey: apiKeyOf('production', DEFAULT_SANDBOX),
    signingSecret: SIGNING_SECRETS.production,
    rateLimit: 'that of --rate-limit',
    clock: 'that of --clock',
  },
)

export const SandboxSettings = z.object(SANDBOX_OPTIONS)

/** What one sandbox is made with: every option read, durations in milliseconds. */
export type SandboxConfig = z.output<typeof SandboxSettings> & {
  apiKey: string
  signingSecret: string
  refundDelay: number
  /** When the sandbox expires and is removed, by the machine's clock. */
  expiresAt: number | undefined
  /** The lifetime that was asked for. */
  ttl: number | undefined
  /** A text for the state that it was started from, to compare two requests for the same sandbox. */
  startedFrom: string | undefined
}

/** `name` without the environment. */
export function sandboxConfig(name: string, given: SandboxOptions): SandboxConfig {
  const config = readOptions(SandboxSettings, given)
  return {
    ...config,
    apiKey: config.apiKey ?? apiKeyOf(config.environment, name),
    signingSecret: config.webhook?.secret ?? config.signingSecret ?? SIGNING_SECRETS[config.environment],
    refundDelay: config.refundDelay ?? contractOf(config.profile).delays['refund.complete'],
    expiresAt: undefined,
    ttl: undefined,
    startedFrom: undefined,
  }
}

/** The options that hold for every sandbox of a simulator. */
export const sharedOptions = (given: SandboxOptions): SandboxOptions => marked('shared', given)

/**
 * The options that a copy of a sandbox gets. A config may be given as options again: its values read as
 * themselves.
 */
export const copiedOptions = (config: SandboxConfig): SandboxOptions => marked('copied', config)

const marked = (mark: 'shared' | 'copied', given: SandboxOptions): SandboxOptions =>
  Object.fromEntries(
    Object.entries(SANDBOX_OPTIONS)
      .filter(([, schema]) => metaOf(schema)![mark])
      .map(([name]) => [name, given[name as keyof SandboxOptions]])
      .filter(([, value]) => value !== undefined),
  )
