/**
 * The one table of a profile's keys: each with the decision that it answers, its help, its schema, the default, and who learns it,
 * where it shows and with what it conflicts. Where it shows in JSON is a place
 * of places.ts; what else it changes is made in contract.ts.
 */
import { z } from 'zod'
import { STATUS_NAMES } from './api-error.ts'
import { Authorization, AuthorizationStatus } from './authorization.ts'
import { CheckoutStatus, CheckoutWithUrl } from './checkout.ts'
import { Customer } from './customer.ts'
import { formatDuration } from './duration.ts'
import { READING_IDS, type ReadingId, usualPathOf } from './endpoints.ts'
import { EVENT_TYPES, type ResourceName } from './event.ts'
import { ID_CHARS, ID_PREFIXES } from './ids.ts'
import {
  IDEMPOTENCY_RETENTION_MS,
  PAGE_DEFAULT_ROWS,
  PAGE_MAX_ROWS,
  RATE_LIMIT_WINDOW_MS,
  WEBHOOK_ATTEMPT_TIMEOUT_MS,
  WEBHOOK_RETRY_DELAYS_MS,
} from './limits.ts'
import { BankAccount, Card, PaymentMethod } from './payment-method.ts'
import {
  type KeyDefinition,
  key,
  keysOf,
  type NameIn,
  type SectionDefinition,
  section,
  type ValuesOf,
} from './profile-key.ts'
import {
  ConstantFields,
  CurrencyCode,
  EventName,
  FieldName,
  Header,
  HeaderOrNone,
  MessageText,
  Path,
  PositiveTime,
  Prefix,
  someOf,
  Time,
  Times,
  Word,
  whole,
  YesOrNo,
} from './profile-values.ts'
import { Refund, RefundStatus } from './refund.ts'
import { DEFINITIONS } from './resources/index.ts'
import { TIMED_MOVES, type TimedCollection } from './resources/timed.ts'
import { text } from './tester.ts'
import { TEXTS } from './texts.ts'
import { oneOf } from './wire.ts'

/**
 * Kinds of ids that only paysim has. Their prefixes are no guesses (D13), so a profile cannot change them.
 */
const OWN_KINDS = ['delivery', 'message', 'application', 'session', 'request'] as const

/** The fields of every object that an answer shows. */
export const FIELDS = {
  checkout: namesIn(CheckoutWithUrl),
  authorization: namesIn(Authorization),
  refund: namesIn(Refund),
  customer: namesIn(Customer),
  payment_method: namesIn(PaymentMethod),
  card: namesIn(Card),
  bank_account: namesIn(BankAccount),
  event: ['id', 'type', 'timestamp', 'data'],
} as const satisfies Record<string, readonly string[]>

/** Fields of requests that the specification names (§2): a profile cannot rename them. */
export const NAMED_BY_THE_SPEC = {
  checkout: ['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl'],
  refund: ['amount'],
} as const

/** Fields that a profile cannot leave out: resources and events are told apart by these. */
const NEVER_LEFT_OUT = ['id', 'type', 'data']

// What keys have in common of the rows elsewhere.
const NOWHERE = { learner: 'none', conflict: 'none' } as const
const ASKED = { learner: 'requests', conflict: 'none' } as const
const PAGE_FIELD = { learner: 'lists', conflict: 'fields of a page' } as const
const PAGE_PARAMETER = {
  learner: 'lists',
  conflict: 'parameters of a page',
} as const
const STATE = { learner: 'words', conflict: 'states' } as const
const RATE_HEADER = { learner: 'rate', conflict: 'headers of an answer' } as const
const SIGNED = { learner: 'signature', conflict: 'none' } as const
const SIGNED_BY = { learner: 'signature', conflict: 'headers of a signature' } as const

/** The fields of a new checkout that a profile may require (D22). */
const CHECKOUT_FIELDS = [
  'orderId',
  'externalId',
  'amount',
  'successUrl',
  'cancelUrl',
  'paymentMethodType',
] as const
const RequiredFields = z
  .array(oneOf(CHECKOUT_FIELDS), 'must be a list of fields')
  .refine((fields) => fields.includes('externalId') && fields.includes('amount'), {
    error: 'must have externalId and amount, without which there is nothing to pay',
  })

/** The statuses of refusals that an idempotency key may keep (D43). */
const REFUSALS = [400, 403, 404, 409] as const
const REFUSALS_RULE = `must be a list of some of ${REFUSALS.join(', ')}`
const Refusals = z.array(z.literal(REFUSALS, REFUSALS_RULE), REFUSALS_RULE)

export const PROFILE_TABLE = {
  ids: section('how ids look', {
    prefixes: keysOf(
      'what the ids of each kind begin with',
      without(ID_PREFIXES, OWN_KINDS),
      'D13',
      Prefix,
      (kind) => `what the id of ${oneOfKind(kind)} begins with`,
      { learner: 'ids', conflict: 'prefixes' },
    ),
    length: key(
      'D13',
      'how many characters follow the prefix',
      whole(ID_CHARS.min, ID_CHARS.max),
      ID_CHARS.usual,
      {
        learner: 'ids',
        conflict: 'none',
      },
    ),
  }),
  timestamps: section('how times are written', {
    milliseconds: key('D12', 'whether timestamps have milliseconds', YesOrNo, true, {
      learner: 'words',
      conflict: 'none',
    }),
  }),
  requests: section('what a request must and may have', {
    mediaType: key(
      'D16',
      'strict: a body needs Content-Type application/json; lenient: any or none will do',
      oneOf(['strict', 'lenient']),
      'strict',
      ASKED,
    ),
    unknownFields: key(
      'D17',
      'ignore them, or refuse them with 400',
      oneOf(['ignore', 'refuse']),
      'ignore',
      ASKED,
    ),
    checkout: key(
      'D22',
      'the fields that a new checkout must have',
      RequiredFields,
      ['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl'],
      ASKED,
    ),
  }),
  answers: section('the status and the headers of what was created, and fields that every answer has', {
    created: key('D40', 'the status for what was created', z.literal([200, 201], 'must be 200 or 201'), 201, {
      learner: 'created',
      conflict: 'none',
    }),
    location: key('D40', 'whether it comes with a Location', YesOrNo, true, {
      learner: 'created',
      conflict: 'headers of an answer',
    }),
    fields: keysOf(
      'fields that each kind of resource has besides its own',
      {
        checkout: {},
        authorization: {},
        refund: {},
        customer: {},
        payment_method: {},
        event: {},
      } satisfies Record<ResourceName | 'event', object>,
      'D39',
      ConstantFields,
      (kind) => `fields that ${oneOfKind(kind)} has besides its own, always with these values`,
      { learner: 'fields', conflict: 'fields' },
    ),
    leaveOut: section('fields that each kind of resource does not have', {
      checkout: leftOut('checkout'),
      authorization: leftOut('authorization'),
      refund: leftOut('refund'),
      customer: leftOut('customer'),
      payment_method: leftOut('payment_method'),
      event: leftOut('event'),
    }),
    currency: key('D11', 'the currency of every amount', CurrencyCode, 'USD', {
      learner: 'words',
      conflict: 'none',
    }),
  }),
  fields: section(
    'what the fields are called that the specification gives no name for, in answers, requests and filters',
    {
      checkout: namesOf('checkout', withoutNames(FIELDS.checkout, NAMED_BY_THE_SPEC.checkout)),
      authorization: namesOf('authorization', FIELDS.authorization),
      refund: namesOf('refund', withoutNames(FIELDS.refund, NAMED_BY_THE_SPEC.refund)),
      customer: namesOf('customer', FIELDS.customer),
      payment_method: namesOf('payment_method', FIELDS.payment_method),
      card: namesOf('card', FIELDS.card),
      bank_account: namesOf('bank_account', FIELDS.bank_account),
      event: namesOf('event', FIELDS.event),
    },
  ),
  lists: section('the names in a list and its query, and how long a page is', {
    items: key('D24', 'the field with the items', Word, 'data', PAGE_FIELD),
    hasMore: key('D24', 'the field that says whether more follow', Word, 'hasMore', PAGE_FIELD),
    nextCursor: key('D24', 'the field with the cursor of the next page', Word, 'nextCursor', PAGE_FIELD),
    limit: key('D24', 'the query parameter for the size of a page', Word, 'limit', PAGE_PARAMETER),
    cursor: key('D24', 'the query parameter for the cursor', Word, 'cursor', PAGE_PARAMETER),
    size: key('D24', 'how many items a page has', whole(1, 1_000), PAGE_DEFAULT_ROWS, {
      learner: 'lists',
      conflict: 'sizes of a page',
    }),
    maxSize: key('D24', 'how many items may be asked for', whole(1, 1_000), PAGE_MAX_ROWS, {
      learner: 'maxSize',
      conflict: 'sizes of a page',
    }),
  }),
  states: section('the words of the states', {
    checkout: keysOf(
      'the words of the states of a checkout',
      asWritten(CheckoutStatus.options),
      'D1',
      Word,
      (state) => `a checkout that is ${state}`,
      STATE,
    ),
    authorization: keysOf(
      'the words of the states of an authorization',
      asWritten(AuthorizationStatus.options),
      'D2',
      Word,
      (state) => `an authorization that is ${state}`,
      STATE,
    ),
    refund: keysOf(
      'the words of the states of a refund',
      asWritten(RefundStatus.options),
      'D3',
      Word,
      (state) => `a refund that is ${state}`,
      STATE,
    ),
  }),
  events: keysOf(
    'the types of events',
    asWritten(EVENT_TYPES),
    'D30',
    EventName,
    (type) => `the type of ${type}`,
    { learner: 'words', conflict: 'events' },
  ),
  errors: section('the words of refusals', {
    names: keysOf(
      'the error by the status',
      // Only the tester's API answers 408 and 424.
      without(STATUS_NAMES, ['408', '424']),
      'D8',
      MessageText,
      (status) => `the error of a ${status}`,
      { learner: 'refusals', conflict: 'none' },
    ),
    texts: keysOf<keyof typeof TEXTS, string>(
      'the messages; what stands in braces is filled in',
      TEXTS,
      'D8',
      MessageText,
      (name) => `the message of ${name}`,
      { learner: 'texts', conflict: 'words of a text' },
    ),
  }),
  idempotency: section('what an Idempotency-Key keeps, for how long, and how a repeated answer is marked', {
    replayHeader: key(
      'D44',
      'the header of a repeated answer, with the value true; null for none',
      HeaderOrNone,
      'Idempotent-Replayed',
      { learner: 'replay', conflict: 'headers of an answer' },
    ),
    keep: key(
      'D46',
      'how long a key is kept',
      PositiveTime,
      formatDuration(IDEMPOTENCY_RETENTION_MS),
      NOWHERE,
    ),
    keptRefusals: key(
      'D43',
      'the refusals of the operation itself that a key keeps; a success is always kept',
      Refusals,
      [...REFUSALS],
      { learner: 'keptRefusals', conflict: 'none' },
    ),
  }),
  rateLimit: section('the window of the rate limit, and its headers', {
    window: key('D34', 'how long the window is', PositiveTime, formatDuration(RATE_LIMIT_WINDOW_MS), NOWHERE),
    headers: section('the names of its headers; null for none', {
      limit: key(
        'D35',
        'the header with the limit; null for none',
        HeaderOrNone,
        'X-RateLimit-Limit',
        RATE_HEADER,
      ),
      remaining: key(
        'D35',
        'the header with the requests that are left; null for none',
        HeaderOrNone,
        'X-RateLimit-Remaining',
        RATE_HEADER,
      ),
      reset: key(
        'D35',
        'the header with the end of the window; null for none',
        HeaderOrNone,
        'X-RateLimit-Reset',
        RATE_HEADER,
      ),
    }),
    resetAs: key(
      'D35',
      'the end of the window in Unix seconds, or the seconds that are left',
      oneOf(['unix', 'seconds']),
      'unix',
      { learner: 'rate', conflict: 'none' },
    ),
  }),
  webhooks: section('how webhooks are signed and retried', {
    signature: section('the scheme of the signature, and its headers', {
      scheme: key(
        'D36',
        'standard: v1,BASE64 of id, timestamp and body; timestamped: t=SECONDS,v1=HEX of timestamp and body; hex: HEX of the body',
        oneOf(['standard', 'timestamped', 'hex']),
        'standard',
        SIGNED_BY,
      ),
      header: key('D36', 'the header with the signature', Header, 'webhook-signature', SIGNED),
      prefix: key(
        'D36',
        'what stands before the digits of the scheme hex, such as sha256=',
        text.max(20, 'must have at most 20 characters'),
        '',
        SIGNED,
      ),
      idHeader: key(
        'D36',
        "the header with the event's id; null for none",
        HeaderOrNone,
        'webhook-id',
        SIGNED_BY,
      ),
      timestampHeader: key(
        'D36',
        'the header with the time of signing; null for none',
        HeaderOrNone,
        'webhook-timestamp',
        SIGNED_BY,
      ),
      tolerance: key(
        'D37',
        'how far a receiver lets the time of signing be from its own',
        PositiveTime,
        '5m',
        NOWHERE,
      ),
    }),
    retries: key(
      'D49',
      'the pauses after failed attempts',
      Times,
      WEBHOOK_RETRY_DELAYS_MS.map(formatDuration),
      NOWHERE,
    ),
    timeout: key(
      'D49',
      'how long an attempt waits for its answer',
      PositiveTime,
      formatDuration(WEBHOOK_ATTEMPT_TIMEOUT_MS),
      NOWHERE,
    ),
  }),
  ...delaysOfMoves(),
  paths: keysOf(
    'where the reads are that the spec gives no path for',
    usualPathsOfReads(),
    'D55',
    Path,
    (id) => `where ${id} is`,
    { learner: 'paths', conflict: 'paths' },
  ),
}

/** A value for every key. */
export type Profile = ValuesOf<typeof PROFILE_TABLE>

/** A key, or a section of keys, with dots, such as `ids.length`. */
export type ProfileName = NameIn<typeof PROFILE_TABLE>

type Delays = { readonly [Name in TimedCollection]: SectionDefinition<{ delay: KeyDefinition<string> }> }

/** For each kind that time changes: how long that takes. */
function delaysOfMoves(): Delays {
  const sections = TIMED_MOVES.map(({ kind, move, from, after, decision, option }) => {
    const { collection, words } = DEFINITIONS[kind]
    const unless = option ? `, unless ${option} says otherwise` : ''
    const help = `how long ${oneOfKind(kind)} stays ${from.join(' or ')}${unless}`
    const learner = option ?? 'none'
    const delay = key(decision, help, Time, after, { learner, conflict: 'none' })
    return [collection, section(`when ${words.many.toLowerCase()} ${move}`, { delay })] as const
  })
  return Object.fromEntries(sections) as Delays
}

function usualPathsOfReads(): Record<ReadingId, string> {
  return Object.fromEntries(READING_IDS.map((id) => [id, usualPathOf(id)])) as Record<ReadingId, string>
}

function namesIn<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>): (keyof Shape & string)[] {
  return Object.keys(shape)
}

function withoutNames<Name extends string, Left extends Name>(
  names: readonly Name[],
  left: readonly Left[],
): Exclude<Name, Left>[] {
  return names.filter((name): name is Exclude<Name, Left> => !left.includes(name as Left))
}

function namesOf<Name extends string>(kind: string, names: readonly Name[]) {
  const what = oneOfKind(kind)
  return keysOf(
    `what the fields of ${what} are called`,
    asWritten(names),
    'D39',
    FieldName,
    (name) => `the field ${name} of ${what}`,
    { learner: 'names', conflict: 'names of fields' },
  )
}

function leftOut(kind: keyof typeof FIELDS) {
  const fields = FIELDS[kind].filter((name) => !NEVER_LEFT_OUT.includes(name))
  return key('D39', `fields that ${oneOfKind(kind)} does not have`, someOf(fields), [], {
    learner: 'leaveOut',
    conflict: 'none',
  })
}

/** The table without the rows of these names. */
function without<Name extends string, Left extends string>(
  table: Readonly<Record<Name, string>>,
  left: readonly Left[],
): Record<Exclude<Name, Left>, string> {
  const rows = Object.entries(table).filter(([name]) => !left.includes(name as Left))
  return Object.fromEntries(rows) as Record<Exclude<Name, Left>, string>
}

/** A table in which each name stands for itself. */
function asWritten<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const table: Record<string, string> = Object.fromEntries(names.map((name) => [name, name]))
  return table as Record<Name, string>
}

/** Such as `an authorization`. */
export function oneOfKind(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replace('_', ' ')}`
}
