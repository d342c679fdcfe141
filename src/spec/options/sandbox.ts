/** The options of a sandbox. */
import { z } from 'zod'
import { contractOf } from '../contract/contract.ts'
import { RATE_LIMIT_REQUESTS, TESTER_LIMITS } from '../contract/limits.ts'
import { ProfileChanges } from '../contract/profile.ts'
import { oneOfKind } from '../contract/resources/index.ts'
import { byDelayOption, type DelayOption } from '../contract/resources/timed.ts'
import type { Written } from '../contract/written.ts'
import { apiKeyOf, ENVIRONMENTS, SIGNING_SECRETS } from '../environments/environment.ts'
import { stagingValues } from '../environments/values.ts'
import type { Fixture } from './fixture.ts'
import { grouped, metaOf, numberFromText, option, required } from './option.ts'
import { readOptions } from './read.ts'
import {
  ApiKey,
  ClockStart,
  DurationOrMs,
  EventPatterns,
  HeaderNames,
  HttpUrl,
  IgnoredRules,
  oneWordOf,
  SigningSecret,
  Switch,
  TestValuesOrFile,
  wholeNumber,
} from './values.ts'

export const DEFAULT_SANDBOX = 'default'

const RATE_LIMIT_MAX = TESTER_LIMITS.rateLimit.max

export const WebhookOptions = z.strictObject({
  url: required(HttpUrl, { help: 'the URL that events are delivered to', placeholder: 'URL' }),
  secret: option(SigningSecret, {
    help: 'the secret that signs webhooks',
    inCode: "`whsec_` and the base64 of 24 to 64 bytes; default: the sandbox's own",
    flag: false,
    secret: true,
  }),
  events: option(EventPatterns, {
    help: 'the events that are delivered, such as refund.*,checkout.confirmed',
    inCode: 'Default: all',
    placeholder: 'TYPES',
    shownDefault: 'all',
    fallback: ['*'],
  }),
})
export type WebhookOptions = Written<typeof WebhookOptions>

export const WebhookSettings = WebhookOptions.extend({
  overlap: option(DurationOrMs, {
    help: "how long the previous secret also signs, such as 1d on the sandbox's clock",
    inCode: 'Each webhook has two signatures during that time. Default: the old secret stops immediately',
  }),
})

/** Changes the webhook endpoint of a running sandbox. */
export type WebhookSettings = Written<typeof WebhookSettings>

const LEASE_MS = 15_000

export const ListenerSettings = WebhookOptions.omit({ secret: true }).extend({
  lease: option(DurationOrMs, {
    help: 'how long its lease lasts unless it is renewed',
    inCode: "Default: 15 seconds of the machine's time",
    fallback: LEASE_MS,
  }),
})

/** A temporary receiver of webhooks (`paysim listen`) instead of the endpoint. */
export type ListenerSettings = Written<typeof ListenerSettings>

export const AuditOptions = z.strictObject({
  ignore: option(IgnoredRules, {
    help: 'audit rules to ignore, each with a reason',
    inCode: "`{ C7: 'legacy importer' }`, or as text `C7=legacy importer`",
    env: 'PAYSIM_AUDIT_IGNORE',
    placeholder: 'C7=REASON',
    repeatable: true,
    fallback: {},
  }),
})
export type AuditOptions = Written<typeof AuditOptions>

export const JournalOptions = z.strictObject({
  headers: option(HeaderNames, {
    help: 'additional request headers to record in the journal, such as x-trace',
    placeholder: 'NAMES',
    fallback: [],
  }),
})

const WITHOUT_SEED_DATA = {
  environment: option(oneWordOf(ENVIRONMENTS), {
    help: "which of the service's two environments it simulates",
    flag: false,
    fallback: 'staging',
    shared: false,
  }),
  ...grouped('Initial data', {
    apiKey: option(ApiKey, {
      help: 'the API key',
      inCode: "Default: `sk_staging_` and the sandbox's name; in production `sk_live_` and the name",
      placeholder: 'KEY',
      shownDefault: apiKeyOf('staging', DEFAULT_SANDBOX),
      shared: false,
      copied: false,
    }),
    signingSecret: option(SigningSecret, {
      help: 'the secret that signs webhooks',
      inCode: '`whsec_` and the base64 of 24 to 64 bytes',
      placeholder: 'SECRET',
      // No fallback: the default depends on the environment (§6).
      shownDefault: SIGNING_SECRETS.staging,
      secret: true,
      shared: false,
    }),
  }),
  ...grouped('Webhooks', {
    webhook: option(WebhookOptions, {
      help: 'where events are delivered: the URL, its signing secret, and which events',
      shared: false,
      copied: false,
    }),
  }),
  ...grouped('Behavior', {
    rateLimit: option(
      z.union(
        [wholeNumber(1, RATE_LIMIT_MAX, ', or off'), z.literal('off')],
        `must be a whole number from 1 to ${RATE_LIMIT_MAX}, or off`,
      ),
      {
        help: 'requests per minute for each IP, or off',
        inCode: `Default: ${RATE_LIMIT_REQUESTS}, which are only counted while the clock is frozen`,
        placeholder: 'N',
        fromText: numberFromText,
        // No fallback: without an explicit limit, requests are never refused while the clock is frozen (D60).
        shownDefault: String(RATE_LIMIT_REQUESTS),
      },
    ),
    ...byDelayOption((_, { kind, from, after }) =>
      option(DurationOrMs, {
        help: `how long ${oneOfKind(kind)} stays ${from.join(' or ')}`,
        inCode: `Milliseconds, or a duration such as \`${after}\``,
        placeholder: 'TIME',
        // No fallback: the profile has the default.
        shownDefault: after,
      }),
    ),
    requireApproval: option(Switch, {
      help: 'a checkout can be confirmed only after its buyer has approved it',
      inCode: 'Default: false; always true in production',
      fallback: false,
    }),
    audit: option(AuditOptions, {
      help: 'which audit rules are not applied to the platform',
      flag: '',
      fallback: { ignore: {} },
    }),
    testValues: option(TestValuesOrFile, {
      help: "changes to staging's test values, as in fixtures/test-values.json",
      inCode: 'Or the JSON file that has them',
      placeholder: 'FILE',
      isPath: true,
      shownDefault: 'fixtures/test-values.json',
      fallback: stagingValues,
    }),
    profile: option(ProfileChanges, {
      help: "corrections of paysim's assumptions, as profile keys",
    }),
    seed: option(wholeNumber(0, Number.MAX_SAFE_INTEGER), {
      help: 'the same seed, clock and requests produce identical bytes',
      inCode: 'Default: random',
      placeholder: 'N',
      shownDefault: 'random',
      // Not shared: two sandboxes with one seed would make the same ids, and a platform that confuses the sandboxes would find
      // the other's resources.
      shared: false,
    }),
    clock: option(ClockStart, {
      help: 'real, frozen, or frozen@2026-01-01T00:00:00Z',
      inCode: 'Or the same as an object',
      placeholder: 'CLOCK',
      shownDefault: 'real',
      fallback: { mode: 'real' },
    }),
  }),
  ...grouped('Network', {
    trustProxy: option(Switch, { help: 'take the client IP from X-Forwarded-For', fallback: false }),
  }),
  ...grouped('Storage and logs', {
    journal: option(JournalOptions, {
      help: 'what else the journal records of each request',
      fallback: { headers: [] },
    }),
  }),
}

export const UnseededOptions = z.object(WITHOUT_SEED_DATA)
export type UnseededOptions = Written<typeof UnseededOptions>

/** The settings of a sandbox. `Seed`: the accepted forms of seed data. */
export interface SandboxOptions<Seed = Fixture> extends UnseededOptions {
  /** Seed data: the content at the start and after every reset. Tests with vitest may name a file, or demo. */
  fixture?: Seed | undefined
}

export const SANDBOX_OPTIONS = {
  ...WITHOUT_SEED_DATA,
  fixture: option(z.custom<Fixture>(), {
    help: 'initial data, restored after every reset',
    shared: false,
  }),
}

const { apiKey, signingSecret, webhook, rateLimit, clock } = SANDBOX_OPTIONS

/** Without a default; `otherwise` describes the effect of omitting it. */
const ofProduction = <Inner extends z.ZodType>(
  source: z.ZodOptional<Inner> | z.ZodDefault<Inner>,
  otherwise: string,
) =>
  option(source.unwrap(), {
    ...metaOf(source)!,
    shownDefault: otherwise,
    inCode: `Default: ${otherwise}`,
    shared: false,
  })

/** The start options of production's sandbox `default`; the shared ones apply to it too. */
export const PRODUCTION_SANDBOX = {
  apiKey: ofProduction(apiKey, apiKeyOf('production', DEFAULT_SANDBOX)),
  signingSecret: ofProduction(signingSecret, SIGNING_SECRETS.production),
  webhook,
  rateLimit: ofProduction(rateLimit, 'that of --rate-limit'),
  clock: ofProduction(clock, 'that of --clock'),
}

export const SandboxSettings = z.object(SANDBOX_OPTIONS)

/** The configuration of one sandbox: every option read, durations in milliseconds. */
export type SandboxConfig = z.output<typeof SandboxSettings> &
  Record<DelayOption, number> & {
    apiKey: string
    signingSecret: string
    /** When the sandbox expires and is removed, by the machine's clock. */
    expiresAt: number | undefined
    /** The requested lifetime. */
    ttl: number | undefined
    /** Describes the initial state, to compare two requests for the same sandbox. */
    startedFrom: string | undefined
  }

/** `name` without the environment. */
export function sandboxConfig(name: string, given: SandboxOptions): SandboxConfig {
  const config = readOptions(SandboxSettings, given)
  return {
    ...config,
    apiKey: config.apiKey ?? apiKeyOf(config.environment, name),
    signingSecret: config.webhook?.secret ?? config.signingSecret ?? SIGNING_SECRETS[config.environment],
    ...byDelayOption((option) => config[option] ?? contractOf(config.profile).delays[option]),
    expiresAt: undefined,
    ttl: undefined,
    startedFrom: undefined,
  }
}

/** The options that apply to every sandbox of a simulator. */
export const sharedOptions = (given: SandboxOptions): SandboxOptions => marked('shared', given)

/** The options that a copy of a sandbox gets. A config may be given as options again: its values parse to themselves. */
export const copiedOptions = (config: SandboxConfig): SandboxOptions => marked('copied', config)

const marked = (mark: 'shared' | 'copied', given: SandboxOptions): SandboxOptions =>
  Object.fromEntries(
    Object.entries(SANDBOX_OPTIONS)
      .filter(([, schema]) => metaOf(schema)![mark] !== false)
      .map(([name]) => [name, given[name as keyof SandboxOptions]])
      .filter(([, value]) => value !== undefined),
  )
