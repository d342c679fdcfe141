/** §8 and the bounds of §3: every number that limits a request, with its unit in its name. */

/** Unless the sandbox's option `rateLimit` or the profile's `rateLimit.window` overrides it. */
export const RATE_LIMIT_REQUESTS = 100
export const RATE_LIMIT_WINDOW_MS = 60_000

export const IDEMPOTENCY_KEY_MAX_CHARS = 255
/** D46 */
export const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000

/** D45: the Retry-After of the 409 while a key is in flight. Most requests take less. */
export const IN_FLIGHT_RETRY_SECONDS = 1

export const BODY_MAX_BYTES = 100 * 1024
export const JSON_MAX_DEPTH = 64
/** A scenario contains bodies of up to 64 levels, some levels below its root. */
export const SCENARIO_MAX_DEPTH = 100
export const TEXT_MAX_CHARS = 255
export const URL_MAX_CHARS = 2048
/** 999 999 999.99 (D15), far below the largest exact integer. The spec has no limit. */
export const AMOUNT_MAX_CENTS = 99_999_999_999

/** Bounds of a card's expiry. Clocks start in 1970. */
export const CARD_MONTHS = { min: 1, max: 12 }
export const CARD_YEARS = { min: 1970, max: 9999 }

export const PAGE_DEFAULT_ROWS = 20
export const PAGE_MAX_ROWS = 100

/** No clock goes further, so later work is still due in a year of four digits. */
export const CLOCK_MAX_MS = Date.UTC(9000, 0)

export const WEBHOOK_ATTEMPT_TIMEOUT_MS = 15_000
export const WEBHOOK_CONCURRENCY = 16
/** For all sandboxes of a process: a quarter of the descriptors of a process limited to 512. */
export const WEBHOOK_CONCURRENCY_OF_PROCESS = 128
/** After the first attempt: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. Ten attempts in all (D49). */
export const WEBHOOK_RETRY_DELAYS_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
]

export const JOURNAL_MAX_REQUESTS = 10_000
/** Ten thousand responses of a hundred rows each would otherwise fill the memory. */
export const JOURNAL_MAX_CHARS = 50_000_000

/**
 * Limits on testers' requests: the schemas of scenario files and of `/_sim` refuse more, so that no tester's request keeps the
 * simulator busy or fills its memory. docs/scenario-reference.md lists them.
 */
export const TESTER_LIMITS = {
  behaviors: { max: 1_000, what: 'behaviors that are armed in one sandbox' },
  count: {
    max: 1_000_000,
    what: '`times`, `skip`, `attempt`, `polls`, `exactly`, `atLeast`, `atMost`, `count`',
  },
  duplicates: { max: 100, what: '`duplicate`: deliveries of one event' },
  rateLimit: { max: 1_000_000_000, what: '`rateLimit`: requests in a window' },
  headers: { max: 50, what: 'headers of one `respond`' },
  nameChars: { max: 255, what: 'characters of an id, a call, a gate, an API key' },
  headerChars: { max: 4_096, what: 'characters of the value of a header of `respond`' },
  regexChars: { max: 1_000, what: 'characters of a `regex`' },
  regexSteps: { max: 500, what: 'steps that a `regex` is made of; `x{100}` counts as a hundred' },
  placeholders: { max: 300, what: 'placeholders of one `respond`' },
  placeholderChars: { max: 500, what: 'characters between `${` and `}`' },
  fixtureRows: { max: 10_000, what: 'rows of a list in a fixture' },
  webhookEvents: { max: 100, what: 'event types of a webhook endpoint' },
} as const
