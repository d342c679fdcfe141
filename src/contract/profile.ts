/**
 * A profile: the decisions that are values, so that a person who knows the real service can correct them without code.
 * This is the one table of its keys, each with the decision that it answers, its schema and the default. What may be
 * given, what `paysim profile` prints and what `/_sim/decisions` shows are made from it; contract.ts makes the contract.
 */

import { z } from 'zod'
import { STATUS_NAMES } from './api-error.ts'
import { AuthorizationStatus } from './authorization.ts'
import { CheckoutStatus } from './checkout.ts'
import { contradictions } from './contradictions.ts'
import type { Decision } from './decisions.ts'
import { DURATION_RULE, Duration, formatDuration } from './duration.ts'
import { ENDPOINTS, type OperationId } from './endpoints.ts'
import { EVENT_TYPES } from './event.ts'
import { ID_PREFIXES } from './ids.ts'
import {
  IDEMPOTENCY_RETENTION_MS,
  PAGE_DEFAULT_ROWS,
  PAGE_MAX_ROWS,
  RATE_LIMIT_WINDOW_MS,
  REFUND_DELAY_MS,
  WEBHOOK_ATTEMPT_TIMEOUT_MS,
  WEBHOOK_RETRY_DELAYS_MS,
} from './limits.ts'
import { RefundStatus } from './refund.ts'
import { text } from './tester.ts'
import { TEXTS } from './texts.ts'
import { valueAt } from './value-at.ts'
import { oneOf } from './wire.ts'

/** One value that can be given. */
class Key<Value> {
  readonly decision: Decision['id']
  readonly help: string
  readonly schema: z.ZodType<Value>
  readonly fallback: Value

  constructor(decision: Decision['id'], help: string, schema: z.ZodType<Value>, fallback: Value) {
    this.decision = decision
    this.help = help
    this.schema = schema
    this.fallback = fallback
  }
}

const key = <Value>(
  decision: Decision['id'],
  help: string,
  schema: z.ZodType<Value>,
  fallback: NoInfer<Value>,
): Key<Value> => new Key(decision, help, schema, fallback)

/** A key for each name, where the default is in a table already. */
const keys = <Name extends string, Value>(
  decision: Decision['id'],
  table: Readonly<Record<Name, Value>>,
  schema: z.ZodType<Value>,
  help: (name: Name) => string,
): Record<Name, Key<Value>> =>
  Object.fromEntries(
    (Object.entries(table) as [Name, Value][]).map(([name, value]) => [
      name,
      key(decision, help(name), schema, value),
    ]),
  ) as Record<Name, Key<Value>>

// The kinds of values. Every rule ends a sentence that begins with the key.

function textLike(pattern: RegExp, rule: string) {
  return z.string(rule).regex(pattern, rule)
}

function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.int(rule).min(min, rule).max(max, rule)
}

const Switch = z.boolean('must be true or false')
const Prefix = textLike(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,19}$/,
  'must be 1 to 20 letters, digits, _ or -, such as chk_',
)
const Word = textLike(
  /^[A-Za-z][A-Za-z0-9_-]{0,39}$/,
  'must be a word of at most 40 letters, digits, _ and -',
)
const EventName = textLike(
  /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/,
  'must be a word of at most 80 letters, digits, _, . and -',
)
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}$/
/** RFC 9110, 6.4 and 7.6.1: a second value would break the message, or be taken out of it. */
const OF_THE_MESSAGE =
  /^(connection|content-length|content-type|date|host|keep-alive|trailer|transfer-encoding)$/i
const header = (rule: string) =>
  textLike(HEADER, rule).refine(
    (name) => !OF_THE_MESSAGE.test(name),
    'must be a header that HTTP does not use itself, such as X-Signature',
  )
const Header = header('must be the name of a header, such as X-Signature')
const HeaderOrNone = header('must be the name of a header, such as X-Signature, or null').nullable()
const Message = text.min(1, 'must not be empty').max(500, 'must have at most 500 characters')
const Path = textLike(
  /^\/v1(\/([A-Za-z0-9_.-]+|\{\w+\}))+$/,
  'must be a path under /v1 with names in braces, such as /v1/refunds/{id}',
)
const Time = z.string(DURATION_RULE).refine((given) => Duration.safeParse(given).success, DURATION_RULE)
const PositiveTime = Time.refine((given) => Duration.safeParse(given).data !== 0, 'must be longer than 0s')
const Times = z.array(Time, 'must be a list of durations').max(50, 'must be at most 50 durations')

const REQUIRABLE = [
  'orderId',
  'externalId',
  'amount',
  'successUrl',
  'cancelUrl',
  'paymentMethodType',
] as const
const RequiredFields = z
  .array(oneOf(REQUIRABLE), 'must be a list of fields')
  .refine((fields) => fields.includes('externalId') && fields.includes('amount'), {
    error: 'must have externalId and amount, without which there is nothing to pay',
  })

const REFUSALS = [400, 403, 404, 409] as const
const REFUSALS_RULE = `must be a list of some of ${REFUSALS.join(', ')}`
const Refusals = z.array(z.literal(REFUSALS, REFUSALS_RULE), REFUSALS_RULE)

const FieldName = /^[A-Za-z_]\w{0,39}$/
const FIELDS_RULE = 'must be fields with their values, such as { object: checkout }'
const Fields = z
  .record(z.string(), z.unknown(), FIELDS_RULE)
  .refine((fields) => Object.keys(fields).every((name) => FieldName.test(name)), FIELDS_RULE)

/** D55: what the spec does not name can stand under other paths. */
const READS = Object.fromEntries(
  Object.entries(ENDPOINTS)
    .filter(([, call]) => call.startsWith('GET '))
    .map(([id, call]) => [id, call.slice('GET '.length)]),
) as Record<ReadId, string>

type ReadId = {
  [Id in OperationId]: (typeof ENDPOINTS)[Id] extends `GET ${string}` ? Id : never
}[OperationId]

/** Those of paysim itself, such as a delivery's, are no guesses. */
const OWN_KINDS = ['delivery', 'message', 'application', 'session', 'request'] as const

const without = <Name extends string, Left extends string>(
  table: Readonly<Record<Name, string>>,
  left: readonly Left[],
): Record<Exclude<Name, Left>, string> =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !left.includes(name as Left))) as Record<
    Exclude<Name, Left>,
    string
  >

const oneOfKind = (kind: string) => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replace('_', ' ')}`

const same = <Word extends string>(words: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, word])) as Readonly<Record<string, string>> as Record<
    Word,
    string
  >

const PROFILE = {
  ids: {
    prefixes: keys(
      'D13',
      without(ID_PREFIXES, OWN_KINDS),
      Prefix,
      (kind) => `what the id of ${oneOfKind(kind)} begins with`,
    ),
    length: key('D13', 'how many characters follow the prefix', whole(12, 64), 24),
  },
  timestamps: {
    milliseconds: key('D12', 'whether timestamps have milliseconds', Switch, true),
  },
  requests: {
    mediaType: key(
      'D16',
      'strict: a body needs Content-Type application/json; lenient: any or none will do',
      oneOf(['strict', 'lenient']),
      'strict',
    ),
    unknownFields: key('D17', 'ignore them, or refuse them with 400', oneOf(['ignore', 'refuse']), 'ignore'),
    checkout: key('D22', 'the fields that a new checkout must have', RequiredFields, [
      'orderId',
      'externalId',
      'amount',
      'successUrl',
      'cancelUrl',
    ]),
  },
  answers: {
    created: key('D40', 'the status for what was created', z.literal([200, 201], 'must be 200 or 201'), 201),
    location: key('D40', 'whether it comes with a Location', Switch, true),
    fields: keys(
      'D39',
      { checkout: {}, authorization: {}, refund: {}, customer: {}, payment_method: {}, event: {} },
      Fields,
      (kind) => `fields that ${oneOfKind(kind)} has besides its own, always with these values`,
    ),
  },
  lists: {
    items: key('D24', 'the field with the items', Word, 'data'),
    hasMore: key('D24', 'the field that says whether more follow', Word, 'hasMore'),
    nextCursor: key('D24', 'the field with the cursor of the next page', Word, 'nextCursor'),
    limit: key('D24', 'the query parameter for the size of a page', Word, 'limit'),
    cursor: key('D24', 'the query parameter for the cursor', Word, 'cursor'),
    size: key('D24', 'how many items a page has', whole(1, 1_000), PAGE_DEFAULT_ROWS),
    maxSize: key('D24', 'how many items may be asked for', whole(1, 1_000), PAGE_MAX_ROWS),
  },
  states: {
    checkout: keys('D1', same(CheckoutStatus.options), Word, (state) => `a checkout that is ${state}`),
    authorization: keys(
      'D2',
      same(AuthorizationStatus.options),
      Word,
      (state) => `an authorization that is ${state}`,
    ),
    refund: keys('D3', same(RefundStatus.options), Word, (state) => `a refund that is ${state}`),
  },
  events: keys('D30', same(EVENT_TYPES), EventName, (type) => `the type of ${type}`),
  errors: {
    names: keys(
      'D8',
      // 408 and 417 are only for testers.
      without(STATUS_NAMES, ['408', '417']),
      Message,
      (status) => `the error of a ${status}`,
    ),
    texts: keys<keyof typeof TEXTS, string>('D8', TEXTS, Message, (name) => `the message of ${name}`),
  },
  idempotency: {
    replayHeader: key(
      'D44',
      'the header of a repeated answer, with the value true; null for none',
      HeaderOrNone,
      'Idempotent-Replayed',
    ),
    keep: key('D46', 'how long a key is kept', PositiveTime, formatDuration(IDEMPOTENCY_RETENTION_MS)),
    keptRefusals: key(
      'D43',
      'the refusals of the operation itself that a key keeps; a success is always kept',
      Refusals,
      [...REFUSALS],
    ),
  },
  rateLimit: {
    window: key('D34', 'how long the window is', PositiveTime, formatDuration(RATE_LIMIT_WINDOW_MS)),
    headers: {
      limit: key('D35', 'the header with the limit; null for none', HeaderOrNone, 'X-RateLimit-Limit'),
      remaining: key(
        'D35',
        'the header with the requests that are left; null for none',
        HeaderOrNone,
        'X-RateLimit-Remaining',
      ),
      reset: key(
        'D35',
        'the header with the end of the window; null for none',
        HeaderOrNone,
        'X-RateLimit-Reset',
      ),
    },
    resetAs: key(
      'D35',
      'the end of the window in Unix seconds, or the seconds that are left',
      oneOf(['unix', 'seconds']),
      'unix',
    ),
  },
  webhooks: {
    signature: {
      scheme: key(
        'D36',
        'standard: v1,BASE64 of id, timestamp and body; timestamped: t=SECONDS,v1=HEX of timestamp and body; hex: HEX of the body',
        oneOf(['standard', 'timestamped', 'hex']),
        'standard',
      ),
      header: key('D36', 'the header with the signature', Header, 'webhook-signature'),
      prefix: key(
        'D36',
        'what stands before the digits of the scheme hex, such as sha256=',
        text.max(20, 'must have at most 20 characters'),
        '',
      ),
      idHeader: key('D36', "the header with the event's id; null for none", HeaderOrNone, 'webhook-id'),
      timestampHeader: key(
        'D36',
        'the header with the time of signing; null for none',
        HeaderOrNone,
        'webhook-timestamp',
      ),
      tolerance: key(
        'D37',
        'how far a receiver lets the time of signing be from its own',
        PositiveTime,
        '5m',
      ),
    },
    retries: key(
      'D49',
      'the pauses after failed attempts',
      Times,
      WEBHOOK_RETRY_DELAYS_MS.map(formatDuration),
    ),
    timeout: key(
      'D49',
      'how long an attempt waits for its answer',
      PositiveTime,
      formatDuration(WEBHOOK_ATTEMPT_TIMEOUT_MS),
    ),
  },
  refunds: {
    delay: key(
      'D48',
      'how long a refund stays pending, unless refundDelay says otherwise',
      Time,
      formatDuration(REFUND_DELAY_MS),
    ),
  },
  paths: keys('D55', READS, Path, (id) => `where ${id} is`),
} as const

type Tree = { readonly [Name: string]: Tree | Key<unknown> }

type Values<Of> = Of extends Key<infer Value> ? Value : { readonly [Name in keyof Of]: Values<Of[Name]> }
type Parts<Of> = Of extends Key<infer Value> ? Value : { [Name in keyof Of]?: Parts<Of[Name]> | undefined }

/** Every key with its value. */
export type Profile = Values<typeof PROFILE>
/** What is given: only what differs from the defaults. */
export type ProfileChanges = Parts<typeof PROFILE>

export interface ProfileKey {
  /** With dots, such as `ids.length`. */
  readonly key: string
  readonly path: readonly string[]
  readonly decision: Decision['id']
  readonly help: string
  readonly fallback: unknown
}

const keysIn = (tree: Tree, outer: readonly string[] = []): ProfileKey[] =>
  Object.entries(tree).flatMap(([name, part]) => {
    const path = [...outer, name]
    if (!(part instanceof Key)) return keysIn(part, path)
    const { decision, help, fallback } = part
    return [{ key: path.join('.'), path, decision, help, fallback }]
  })

/** Every key, in the order in which they are shown. */
export const PROFILE_KEYS: readonly ProfileKey[] = keysIn(PROFILE)

/** The defaults with these changes. */
export const completed = (changes: ProfileChanges): Profile => merged(PROFILE, changes) as Profile

const merged = (tree: Tree, changes: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(tree).map(([name, part]) => {
      const change = changes[name]
      if (!(part instanceof Key)) return [name, merged(part, change as Record<string, unknown>)]
      return [name, change === undefined ? part.fallback : change]
    }),
  )

/** The keys that have another value than the default, with both. */
export const changedKeys = (changes: ProfileChanges): (ProfileKey & { value: unknown })[] =>
  PROFILE_KEYS.flatMap((row) => {
    const value = valueAt(changes, row.path)
    const isChanged = value !== undefined && JSON.stringify(value) !== JSON.stringify(row.fallback)
    return isChanged ? [{ ...row, value }] : []
  })

/** What editors show at the keys that hold others. */
const SECTIONS: Readonly<Record<string, string>> = {
  ids: 'how ids look',
  'ids.prefixes': 'what the ids of each kind begin with',
  timestamps: 'how times are written',
  requests: 'what a request must and may have',
  answers: 'the status and the headers of what was created, and fields that every answer has',
  'answers.fields': 'fields that each kind of resource has besides its own',
  lists: 'the names in a list and its query, and how long a page is',
  states: 'the words of the states',
  'states.checkout': 'the words of the states of a checkout',
  'states.authorization': 'the words of the states of an authorization',
  'states.refund': 'the words of the states of a refund',
  events: 'the types of events',
  errors: 'the words of refusals',
  'errors.names': 'the error by the status',
  'errors.texts': 'the messages; what stands in braces is filled in',
  idempotency: 'what an Idempotency-Key keeps, for how long, and how a repeated answer is marked',
  rateLimit: 'the window of the rate limit, and its headers',
  'rateLimit.headers': 'the names of its headers; null for none',
  webhooks: 'how webhooks are signed and retried',
  'webhooks.signature': 'the scheme of the signature, and its headers',
  refunds: 'when refunds complete',
  paths: 'where the reads are that the spec gives no path for',
}

function schemaOf(tree: Tree, outer: readonly string[] = []): z.ZodType {
  const shape = Object.entries(tree).map(([name, part]) => {
    if (part instanceof Key) return [name, part.schema.optional().describe(`${part.help} (${part.decision})`)]
    const path = [...outer, name]
    return [name, schemaOf(part, path).optional().describe(SECTIONS[path.join('.')]!)]
  })
  return z.strictObject(Object.fromEntries(shape), 'must be keys as paysim profile prints them')
}

/** What may be given. Lazy, as only a program that is given a profile needs it. */
export const ProfileChanges = z.lazy(() =>
  (schemaOf(PROFILE) as z.ZodType<ProfileChanges, ProfileChanges>)
    .superRefine((changes, { issues }) => {
      for (const { path, message } of contradictions(completed(changes), READS))
        issues.push({ code: 'custom', input: changes, path: [...path], message })
    })
    .meta({ id: 'Profile', description: 'Keys as paysim profile prints them' }),
)
// An optional schema asks the one inside it, which would make it at every start.
ProfileChanges._zod.optin = undefined
