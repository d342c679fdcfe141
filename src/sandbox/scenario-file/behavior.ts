/**
 * A behavior: when it acts (`when`), how often (`times`, `skip`, `scope`, `ttl`), and what it does (`do`).
 *
 * Behaviors are considered in the order of the file. The first one that matches and has `times` left acts; later ones
 * act too only if it has `continue: true`.
 */
import { z } from 'zod'
import { Duration } from '../../spec/contract/duration.ts'
import { operationsMeant, whyNothingCommits } from '../../spec/contract/endpoints.ts'
import { EventPattern } from '../../spec/contract/event.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { TIMED_MOVES } from '../../spec/contract/resources/timed.ts'
import { Call, Op, Stub } from './call-pattern.ts'
import { actsOnReplays, Do, verbOf } from './do.ts'
import { Expected, Matcher, TextOrMatcher } from './matcher-schema.ts'

const NAME_CHARS = TESTER_LIMITS.nameChars.max
const COUNT = TESTER_LIMITS.count.max

const ByName = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), Matcher]))

export const HeaderPattern = ByName.meta({
  id: 'Headers',
  description: 'Headers by case-insensitive name; each a text or a matcher',
})

const distinct = <Word extends string>(words: readonly Word[]) => [...new Set(words)]

const When = z
  .strictObject({
    call: Call.optional(),
    stub: Stub.optional(),
    op: Op.optional(),
    json: Expected.optional().describe('What the body must contain; values may be matchers'),
    header: HeaderPattern.optional(),
    query: ByName.optional().describe('Query parameters; each a text or a matcher'),
    key: TextOrMatcher.optional().describe('The Idempotency-Key'),
    replay: z
      .boolean()
      .optional()
      .describe('true: only replays, the retries that get the first response again. false: no replays'),
    attempt: z
      .union([z.int().min(1).max(COUNT), Matcher], {
        error: `must be a number from 1 to ${COUNT}, or a matcher such as { gte: 2 }`,
      })
      .optional()
      .describe('Which of the otherwise matching calls, counted from 1 within the scope'),
    event: EventPattern.optional().describe('The type of the delivered event'),
    resource: z
      .enum(distinct(TIMED_MOVES.map(({ kind }) => kind)))
      .optional()
      .describe('The kind of resource; only these change state on their own'),
    enters: z
      .enum(distinct(TIMED_MOVES.flatMap(({ from }) => from)))
      .optional()
      .describe('The state that the resource has just entered'),
    probability: z.number().min(0).max(1).optional().describe("From 0 to 1, drawn from the sandbox's seed"),
  })
  .meta({ id: 'When', description: 'All conditions must hold; without any, everything matches' })

/** The conditions of the behaviors that act on a refund, a delivery or a buyer instead of a request. */
const OTHER_CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  transition: ['resource', 'enters', 'json', 'attempt', 'probability'],
  webhook: ['event', 'json', 'attempt', 'probability'],
  decision: ['json', 'attempt', 'probability'],
}
const REQUEST_CONDITIONS = Object.keys(When.shape).filter(
  (name) => !['event', 'resource', 'enters'].includes(name),
)

export const Behavior = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(NAME_CHARS)
      .optional()
      .describe('Its name in the journal and in reports; default: a number'),
    when: When.default({}),
    scope: z
      .enum(['sandbox', 'op', 'key', 'resource', 'ip'])
      .default('sandbox')
      .describe('The scope in which attempt, skip and times are counted'),
    times: z.int().min(1).max(COUNT).optional().describe('How often it acts; default: always'),
    skip: z.int().min(0).max(COUNT).default(0).describe('How many matches pass before it acts'),
    ttl: Duration.optional().describe(
      "How long it stays armed, on the sandbox's clock; default: until it is disarmed",
    ),
    continue: z.boolean().default(false).describe('Lets later behaviors act too'),
    optional: z
      .boolean()
      .default(false)
      .describe('Whether it may never act; otherwise a scenario or a test in which it never acts fails'),
    do: Do,
  })
  .superRefine(({ when, do: words }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    const verb = verbOf(words)
    const conditions = OTHER_CONDITIONS[verb] ?? REQUEST_CONDITIONS
    for (const name of Object.keys(when)) {
      if (!conditions.includes(name))
        refuse(
          ['when', name],
          `cannot be combined with do: ${verb}, which supports only ${conditions.join(', ')}`,
        )
    }
    if (when.replay === true && !actsOnReplays(words))
      refuse(['when', 'replay'], `cannot be combined with do: ${verb}, which never acts on a replay`)
    const { call, op, stub } = when
    if (stub !== undefined && (call ?? op) !== undefined)
      refuse(['when', 'stub'], 'cannot be combined with call or op: the path of a stub is not an endpoint')
    if ('at' in words && words.at === 'after-commit' && stub === undefined) {
      const why = whyNothingCommits(operationsMeant({ op, call }))
      if (why !== undefined) refuse(['do', 'at'], why)
    }
    if ('forward' in words && stub === undefined)
      refuse(['do', 'forward'], 'needs when: { stub: GET /v1/balance }: paysim answers its endpoints itself')
    const why = 'transition' in words && whyNotByTime(words.transition, when)
    if (why) refuse(['do', 'transition'], why)
  })
  .meta({ id: 'Behavior', description: 'A fault: when it acts, how often, and what it does' })

/** Why no timed move brings this state to what `when` names. */
function whyNotByTime(state: string, { resource, enters }: When): string | undefined {
  const rows = TIMED_MOVES.filter(({ to }) => to === state)
  if (rows.some(({ kind, from }) => kind === resource && from.some((state) => state === enters)))
    return undefined
  const asked = rows.map(({ kind, from }) => `{ resource: ${kind}, enters: ${from.join(' or ')} }`)
  return `needs when: ${asked.join(' or ')}`
}

export type Behavior = z.infer<typeof Behavior>
export type When = z.infer<typeof When>
