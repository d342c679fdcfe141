/**
 * How long a run may take: several times as long as the baseline run, plus the time that its trouble costs a correct client.
 * Each request that was hit adds its waits: a client that makes progress gets its time, and one that waits for ever is ended soon.
 */
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { type Do, type DoOf, type FaultVerb, verbOf } from '../../sandbox/scenario-file/do.ts'
import { lastingOf } from '../../spec/contract/connection-fault.ts'
import { behaviorOf, mostHitsIn, type Seen } from './seen.ts'

const CALM_TIMES = 10
/** A short suite takes longer beside other runs than alone, by seconds and not by a factor. */
const CALM_AT_LEAST_MS = 5_000
const AT_LEAST_MS = 30_000
/** How long a client waits for an answer, or for a hold to end. C19 asks for at least 10 s; many libraries wait for 30 s. */
const PATIENCE_MS = 30_000
/** How long a test waits for a webhook or a refund before it goes on without. */
const PATIENCE_OF_TESTS_MS = 10_000
/** The pause of a client after the first failed attempt. It doubles with each. */
const FIRST_PAUSE_MS = 4_000
const LONGEST_PAUSE_MS = 30_000
/** How long an app takes to start again. */
const RESTART_MS = 10_000
/** The window of a rate limit that names none. */
const WINDOW_MS = 60_000

/** `fired`: how often each of the behaviors has acted so far. */
export function runLimit(
  { tookMs, seen }: { tookMs: number; seen: readonly Seen[] },
  behaviors: readonly Armable[],
  fired: readonly number[],
): number {
  const costs = behaviors.map((behavior, index) => costOf(behavior, fired[index] ?? 0, seen))
  const allowed = Math.max(CALM_AT_LEAST_MS, CALM_TIMES * tookMs)
  return Math.max(
    AT_LEAST_MS,
    costs.reduce((sum, cost) => sum + cost, allowed),
  )
}

/**
 * The time that so many hits of this behavior add. At most as many hits count as the baseline run allows: more
 * come from endless retries.
 */
export function costOf(armable: Armable, fired: number, seen: readonly Seen[]): number {
  const { do: what, times = 1 } = behaviorOf(armable)
  const most = seen.reduce((sum, sandbox) => sum + mostHitsIn(sandbox, armable), 0)
  const hits = Math.min(fired, most)
  let sum = 0
  // Assumes that `times` hits in a row are tries of one request, so a client's pause grows by `hit % times`.
  for (let hit = 0; hit < hits; hit += 1)
    sum += WAITS[verbOf(what)](what as never) + pauseAfter(what, hit % times)
  return sum
}

/** How long one test may take that is hit as often as possible: test runners allow five seconds without a trouble. */
export function patienceOf(behaviors: readonly Armable[], seen: readonly Seen[]): number {
  const costs = seen.map((sandbox) =>
    behaviors.reduce((sum, behavior) => sum + costOf(behavior, Number.POSITIVE_INFINITY, [sandbox]), 0),
  )
  return AT_LEAST_MS + Math.max(0, ...costs)
}

/** How long a client waits that meets the fault once. */
const WAITS: { readonly [Verb in FaultVerb]: (what: DoOf<Verb>) => number } = {
  respond: ({ respond }) => retryAfterMs(respond.headers ?? {}),
  delay: ({ delay }) => (typeof delay === 'number' ? delay : delay.p99),
  hold: ({ max }) => max ?? PATIENCE_MS,
  fault: ({ fault, over }) =>
    fault === 'crash' ? RESTART_MS : lastingOf(fault) === 'patience' ? PATIENCE_MS : (over ?? 0),
  rateLimit: ({ rateLimit }) => ('window' in rateLimit && rateLimit.window) || WINDOW_MS,
  forward: () => PATIENCE_OF_TESTS_MS,
  transition: ({ after }) =>
    PATIENCE_OF_TESTS_MS + (typeof after === 'object' && 'clock' in after ? after.clock : 0),
  webhook: ({ webhook }) => PATIENCE_OF_TESTS_MS + (webhook.delay ?? (webhook.crash ? RESTART_MS : 0)),
  decision: () => PATIENCE_OF_TESTS_MS,
}

/** The client's pause after a failed attempt. Webhooks, transitions and decisions are no attempts of the client. */
const pauseAfter = (what: Do, attempt: number): number =>
  'webhook' in what || 'transition' in what || 'decision' in what
    ? 0
    : Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS)

function retryAfterMs(headers: Readonly<Record<string, string>>): number {
  const [, seconds = '0'] = Object.entries(headers).find(([name]) => /^retry-after$/i.test(name)) ?? []
  return Number(seconds) * 1000 || 0
}
