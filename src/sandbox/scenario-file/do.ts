/** What a behavior does: the forms of `do`. */
import { z } from 'zod'
import {
  CONNECTION_FAULT_KINDS,
  CONNECTION_FAULTS,
  isSlow,
  mayActBefore,
} from '../../spec/contract/connection-fault.ts'
import { Duration } from '../../spec/contract/duration.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { TIMED_MOVES } from '../../spec/contract/resources/timed.ts'
import { isHttpUrl } from '../../spec/contract/wire.ts'
import { isKeyOfProduction } from '../../spec/environments/environment.ts'
import { HeaderName, HeaderValue } from './header.ts'
import { placeholdersIn } from './placeholder.ts'
import { unlessOneOf } from './union-rule.ts'

const NAME_CHARS = TESTER_LIMITS.nameChars.max

const GateName = z
  .string()
  .max(NAME_CHARS)
  .regex(/^[\w.-]+$/, 'must be a name of letters, digits, dots and dashes')
  .describe('The name of a gate')

const At = z
  .enum(['before', 'after-commit'])
  .optional()
  .describe(
    'before: acts before the operation; after-commit: acts after its commit, so that only the response is affected',
  )

const PLACEHOLDERS = TESTER_LIMITS.placeholders.max

const RespondStatus = z.int().min(200).max(599)

const FullRespond = z
  .strictObject({
    status: RespondStatus.describe('The status, from 200 to 599'),
    json: z
      .unknown()
      .optional()
      .describe(
        "The body; default: the service's error of that status. ${request.json.amount} is taken from the request",
      ),
    headers: z
      .record(HeaderName, HeaderValue)
      .refine(
        (headers) => Object.keys(headers).length <= TESTER_LIMITS.headers.max,
        `must be at most ${TESTER_LIMITS.headers.max} headers`,
      )
      .optional()
      .describe('Headers of the response, by name'),
  })
  .refine(
    (respond) => placeholdersIn(respond).length <= PLACEHOLDERS,
    `must have at most ${PLACEHOLDERS} placeholders`,
  )

const RESPOND_RULE = 'must be a status such as 503, or { status: 503 }'

const Respond = z.strictObject({
  respond: z
    .codec(
      z.union([FullRespond, RespondStatus], { error: unlessOneOf(['number', 'object'], RESPOND_RULE) }),
      FullRespond,
      {
        decode: (given) => (typeof given === 'number' ? { status: given } : given),
        encode: (respond) => respond,
      },
    )
    .describe('Responds with this instead of running the operation. A number is short for its status'),
  stored: z
    .boolean()
    .optional()
    .describe('Stores the response under the Idempotency-Key, so that it is replayed'),
})

const Spread = z
  .strictObject({
    p50: Duration.describe('Half of the responses come within this'),
    p99: Duration.describe('99 of 100 responses come within this'),
  })
  .refine(({ p50, p99 }) => p99 >= p50, { path: ['p99'], error: 'must be p50 or longer' })

const Delay = z.strictObject({
  delay: z
    .union([Duration, Spread], {
      error: unlessOneOf(['object'], 'must be a duration such as 2s, or { p50: 80ms, p99: 2s }'),
    })
    .describe("Delays the response: on the sandbox's clock if it is frozen, otherwise in real time"),
  at: At,
})

const Hold = z.strictObject({
  hold: GateName.describe('Keeps the request in flight until this gate is released'),
  max: Duration.optional().describe('Releases the request after this long at the latest'),
  at: At,
})

const SLOW = CONNECTION_FAULT_KINDS.filter(isSlow).join(' or ')

const Fault = z
  .strictObject({
    fault: z
      .enum(CONNECTION_FAULT_KINDS)
      .describe(
        CONNECTION_FAULT_KINDS.map((kind) => `${kind}: ${CONNECTION_FAULTS[kind].explained}`).join('. '),
      ),
    at: At,
    over: Duration.optional().describe(`${SLOW}: how long the body takes, in real time`),
  })
  .superRefine(({ fault, at, over }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (at === 'before' && !mayActBefore(fault)) {
      refuse('at', `cannot be before with fault: ${fault}, which changes the committed response`)
    }
    if (over !== undefined && !isSlow(fault)) refuse('over', `requires fault: ${SLOW}`)
  })

const RateLimit = z.strictObject({
  rateLimit: z
    .union(
      [
        z.strictObject({
          limit: z
            .int()
            .min(0)
            .max(TESTER_LIMITS.rateLimit.max)
            .describe('How many requests are let through in the window'),
          window: Duration.optional().describe('How long the window is; default: a minute'),
        }),
        z.strictObject({ exhausted: z.literal(true).describe('No request is let through') }),
      ],
      { error: unlessOneOf(['object'], 'must be { limit: 5, window: 1m } or { exhausted: true }') },
    )
    .describe('Replaces the rate limit while this behavior acts'),
})

const ADDRESS_RULE = 'must be an address such as https://staging.example, without a path'
/** Not `must be …`: a message adds the value to such a rule, and this value is a secret. */
const REAL_KEY_RULE = "needs the real staging's key: printable ASCII without spaces"
const PRODUCTION_RULE = 'is a production key, which is never sent; use a staging key'

const Forward = z.strictObject({
  forward: z
    .string(ADDRESS_RULE)
    .max(NAME_CHARS)
    .refine((text) => WHOLE_PLACEHOLDER.test(text) || isAddress(text), ADDRESS_RULE)
    .describe('The address of the real staging, to which the request is sent'),
  apiKey: z
    .string(REAL_KEY_RULE)
    .max(NAME_CHARS, REAL_KEY_RULE)
    .regex(/^[\x21-\x7e]+$/, REAL_KEY_RULE)
    .refine((key) => !isKeyOfProduction(key), PRODUCTION_RULE)
    .describe('Its key, such as ${env:STAGING_API_KEY}'),
})

const WHOLE_PLACEHOLDER = /^\$\{[^{}]*\}$/

/** An origin only: a path would be ignored, and a name and a password would be logged. */
function isAddress(text: string): boolean {
  if (!isHttpUrl(text)) return false
  const { pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && `${search}${hash}${username}${password}` === ''
}

const Transition = z.strictObject({
  transition: z
    .enum([...new Set(TIMED_MOVES.map(({ to }) => to))])
    .describe('The state that the resource enters'),
  after: z
    .union(
      [
        z.enum(['now', 'never']),
        z.strictObject({ clock: Duration.describe("After this long on the sandbox's clock") }),
        z.strictObject({
          polls: z
            .int()
            .min(1)
            .max(TESTER_LIMITS.count.max)
            .describe('When a platform has read it this many times'),
        }),
        z.strictObject({ gate: GateName.describe('When this gate is released') }),
      ],
      {
        error: unlessOneOf(['object'], 'must be now, never, { clock: 2d }, { polls: 3 } or { gate: name }'),
      },
    )
    .describe('When it enters it'),
})

const Webhook = z.strictObject({
  webhook: z
    .strictObject({
      duplicate: z
        .int()
        .min(2)
        .max(TESTER_LIMITS.duplicates.max)
        .optional()
        .describe('How many deliveries are made in total'),
      delay: Duration.optional().describe("How much later, on the sandbox's clock"),
      reorder: z.literal(true).optional().describe('Made after the deliveries of the next event'),
      crash: z
        .literal(true)
        .optional()
        .describe('Delivered twice; the app of paysim gauntlet --app is killed after its first response'),
      drop: z.literal(true).optional().describe('Not made, as if lost in the network'),
      sign: z
        .enum(['stale', 'wrong-secret', 'tampered', 'missing'])
        .optional()
        .describe(
          'stale: signed long ago. wrong-secret: with another secret. tampered: the body was changed afterwards. missing: no signature',
        ),
    })
    .refine(
      (how) => Object.keys(how).length > 0,
      'must say how: duplicate, delay, reorder, crash, drop or sign',
    )
    .describe('Change the deliveries of the event'),
})

const BuyerDecision = z.strictObject({
  decision: z
    .enum(['approve', 'decline'], 'must be approve or decline')
    .describe('Approves or declines the buyer, as the card network, the bank or the credit check would'),
  reason: z
    .string()
    .min(1)
    .max(NAME_CHARS)
    .optional()
    .describe('The reason shown to the buyer after a colon, such as: it is over its limit'),
})

/** The forms of `do`, by the word that each of them needs. */
const FORMS = {
  respond: Respond,
  delay: Delay,
  hold: Hold,
  fault: Fault,
  rateLimit: RateLimit,
  forward: Forward,
  transition: Transition,
  webhook: Webhook,
  decision: BuyerDecision,
}

export type FaultVerb = keyof typeof FORMS

export const Do = z
  .union(Object.values(FORMS))
  .meta({ id: 'Do', description: 'What the behavior does: exactly one of these' })

export type Do = z.infer<typeof Do>

/** The form of `do` with this word, such as `{ delay: 2000, at: 'after-commit' }` for `delay`. */
export type DoOf<Verb extends FaultVerb> = z.infer<(typeof FORMS)[Verb]>

export const verbOf = (words: Do): FaultVerb =>
  (Object.keys(FORMS) as FaultVerb[]).find((verb) => verb in words)!

/** A replay's response is decided, so only what changes how a response travels can act on it. */
export const actsOnReplays = (words: object): boolean =>
  'delay' in words || 'hold' in words || 'fault' in words
