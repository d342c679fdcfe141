/**
 * The table of a profile's keys, each with its decision, help, schema and default, how it is learned, where it shows, and its
 * conflicts. codec.ts makes the changes in JSON, contract.ts everything else.
 */
import { z } from 'zod'
import { Additions } from './added.ts'
import { STATUS_NAMES } from './api-error.ts'
import type { DecisionId } from './decisions.ts'
import { formatDuration } from './duration.ts'
import { READING_IDS, type ReadingId, usualPathOf } from './endpoints.ts'
import { EVENT_TYPES } from './event.ts'
import { ID_CHARS, ID_PREFIXES } from './ids.ts'
import {
  IDEMPOTENCY_RETENTION_MS,
  PAGE_DEFAULT_ROWS,
  PAGE_MAX_ROWS,
  RATE_LIMIT_WINDOW_MS,
  WEBHOOK_ATTEMPT_TIMEOUT_MS,
  WEBHOOK_RETRY_DELAYS_MS,
} from './limits.ts'
import { type AboutKey, IN_TOUR, key, keysOf, type NameIn, section, type ValuesOf } from './profile-key.ts'
import {
  asWritten,
  delaysOfMoves,
  forAnswered,
  leftOut,
  namesOfFields,
  wordsOfStates,
} from './profile-kinds.ts'
import {
  ConstantFields,
  CurrencyCode,
  EventName,
  Header,
  HeaderOrNone,
  MessageText,
  Path,
  PositiveTime,
  Prefix,
  Times,
  Word,
  whole,
  YesOrNo,
} from './profile-values.ts'
import { CheckoutCreate } from './resources/checkout.ts'
import { byResource, oneOfKind } from './resources/index.ts'
import { text } from './tester.ts'
import { TEXTS } from './texts.ts'
import { oneOf } from './wire.ts'

// Only the tester's API answers 408 and 424.
const { 408: _timeout, 424: _dependency, ...NAMES_OF_SERVICE } = STATUS_NAMES

// The common parts of rows elsewhere.
const NOWHERE = { learned: 'never', conflict: 'none' } as const
const PAGE_FIELD = { learned: 'tour', conflict: 'fields of a page' } as const
const PAGE_PARAMETER = { learned: 'tour', conflict: 'parameters of a page' } as const
const PAGE_SIZE = { learned: 'tour', conflict: 'sizes of a page' } as const
const ANSWER_HEADER = { learned: 'tour', conflict: 'headers of an answer' } as const
const SIGNED_BY = { learned: 'never', conflict: 'headers of a signature' } as const

const headerOrNone = (decision: DecisionId, what: string, fallback: string, about: AboutKey) =>
  key(decision, `the header ${what}; null for none`, HeaderOrNone, fallback, about)

type SentField = keyof typeof CheckoutCreate.shape
const SENT_FIELDS = Object.keys(CheckoutCreate.shape) as [SentField, ...SentField[]]
/** The fields of a new checkout that a profile may require (D22). */
const RequiredFields = z
  .array(oneOf(SENT_FIELDS), 'must be a list of fields')
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
      'the prefixes of the ids of each kind',
      // The other prefixes are paysim's own, so they are not guesses.
      forAnswered((kind) => ID_PREFIXES[kind]),
      'D13',
      Prefix,
      (kind) => `what the id of ${oneOfKind(kind)} begins with`,
      { learned: 'tour', conflict: 'prefixes' },
    ),
    length: key(
      'D13',
      'how many characters follow the prefix',
      whole(ID_CHARS.min, ID_CHARS.max),
      ID_CHARS.usual,
      IN_TOUR,
    ),
  }),
  timestamps: section('how times are written', {
    milliseconds: key('D12', 'whether timestamps have milliseconds', YesOrNo, true, IN_TOUR),
  }),
  requests: section('what a request must and may have', {
    mediaType: key(
      'D16',
      'strict: a body needs Content-Type application/json; lenient: any Content-Type or none',
      oneOf(['strict', 'lenient']),
      'strict',
      IN_TOUR,
    ),
    unknownFields: key(
      'D17',
      'ignore them, or refuse them with 400',
      oneOf(['ignore', 'refuse']),
      'ignore',
      IN_TOUR,
    ),
    checkout: key(
      'D22',
      'the fields that a new checkout must have',
      RequiredFields,
      ['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl'],
      IN_TOUR,
    ),
  }),
  answers: section('the status and headers for created resources, and fields in every response', {
    created: key(
      'D40',
      'the status for created resources',
      z.literal([200, 201], 'must be 200 or 201'),
      201,
      IN_TOUR,
    ),
    location: key('D40', 'whether the response has a Location', YesOrNo, true, ANSWER_HEADER),
    fields: keysOf(
      'fields that each kind of resource has besides its own',
      forAnswered(() => ({})),
      'D39',
      ConstantFields,
      (kind) => `fields that ${oneOfKind(kind)} has besides its own, always with these values`,
      { learned: 'tour', conflict: 'fields' },
    ),
    leaveOut: section('fields that each kind of resource does not have', forAnswered(leftOut)),
    currency: key('D11', 'the currency of every amount', CurrencyCode, 'USD', IN_TOUR),
  }),
  fields: section(
    'the names of fields that the specification does not name, in responses, requests and filters',
    namesOfFields(),
  ),
  add: section(
    'fields that the real service has and the specification does not',
    byResource(({ name }) =>
      key<Additions>(
        'D39',
        `the fields that are added to ${oneOfKind(name)}`,
        Additions,
        {},
        { learned: 'tour', conflict: 'added fields' },
      ),
    ),
  ),
  lists: section('the names in a list and its query, and how long a page is', {
    items: key('D24', 'the field with the items', Word, 'data', PAGE_FIELD),
    hasMore: key('D24', 'the field for whether more items follow', Word, 'hasMore', PAGE_FIELD),
    nextCursor: key('D24', 'the field with the cursor of the next page', Word, 'nextCursor', PAGE_FIELD),
    limit: key('D24', 'the query parameter for the size of a page', Word, 'limit', PAGE_PARAMETER),
    cursor: key('D24', 'the query parameter for the cursor', Word, 'cursor', PAGE_PARAMETER),
    size: key('D24', 'how many items a page has', whole(1, 1_000), PAGE_DEFAULT_ROWS, PAGE_SIZE),
    maxSize: key('D24', 'how many items may be asked for', whole(1, 1_000), PAGE_MAX_ROWS, PAGE_SIZE),
  }),
  states: section('the words of the states', wordsOfStates()),
  events: keysOf(
    'the types of events',
    asWritten(EVENT_TYPES),
    'D30',
    EventName,
    (type) => `the type of ${type}`,
    // The tour reads the newest page.
    { learned: 'sometimes', conflict: 'events' },
  ),
  errors: section('the texts of refusals', {
    names: keysOf(
      'the error by the status',
      NAMES_OF_SERVICE,
      'D8',
      MessageText,
      (status) => `the error of a ${status}`,
      IN_TOUR,
      ['405', '413', '429', '500', '502', '503', '504'],
    ),
    texts: keysOf<keyof typeof TEXTS, string>(
      'the messages; placeholders in braces are replaced',
      TEXTS,
      'D8',
      MessageText,
      (name) => `the message of ${name}`,
      { learned: 'tour', conflict: 'words of a text' },
      [
        'methodNotAllowed',
        'wrongState',
        'notApproved',
        'keyInFlight',
        'bodyTooLarge',
        // A service may accept any type.
        'wrongMediaType',
        'tooManyRequests',
        'internalError',
      ],
    ),
  }),
  idempotency: section('what an Idempotency-Key keeps, for how long, and how a repeated answer is marked', {
    replayHeader: headerOrNone(
      'D44',
      'of a repeated answer, with the value true',
      'Idempotent-Replayed',
      ANSWER_HEADER,
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
      IN_TOUR,
    ),
  }),
  rateLimit: section('the window of the rate limit, and its headers', {
    window: key('D34', 'how long the window is', PositiveTime, formatDuration(RATE_LIMIT_WINDOW_MS), NOWHERE),
    headers: section('the names of its headers; null for none', {
      limit: headerOrNone('D35', 'with the limit', 'X-RateLimit-Limit', ANSWER_HEADER),
      remaining: headerOrNone('D35', 'with the remaining requests', 'X-RateLimit-Remaining', ANSWER_HEADER),
      reset: headerOrNone('D35', 'with the end of the window', 'X-RateLimit-Reset', ANSWER_HEADER),
    }),
    resetAs: key(
      'D35',
      'the end of the window in Unix seconds, or the seconds that are left',
      oneOf(['unix', 'seconds']),
      'unix',
      IN_TOUR,
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
      header: key('D36', 'the header with the signature', Header, 'webhook-signature', NOWHERE),
      prefix: key(
        'D36',
        'the prefix of the digits of the scheme hex, such as sha256=',
        text.max(20, 'must have at most 20 characters'),
        '',
        NOWHERE,
      ),
      idHeader: headerOrNone('D36', "with the event's id", 'webhook-id', SIGNED_BY),
      timestampHeader: headerOrNone('D36', 'with the time of signing', 'webhook-timestamp', SIGNED_BY),
      tolerance: key(
        'D37',
        "how far the signing time may differ from the receiver's clock",
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
      'how long an attempt waits for the response',
      PositiveTime,
      formatDuration(WEBHOOK_ATTEMPT_TIMEOUT_MS),
      NOWHERE,
    ),
  }),
  ...delaysOfMoves(),
  paths: keysOf(
    'the paths of reads that the specification does not name',
    Object.fromEntries(READING_IDS.map((id) => [id, usualPathOf(id)])) as Record<ReadingId, string>,
    'D55',
    Path,
    (id) => `where ${id} is`,
    { learned: 'tour', conflict: 'paths' },
    // The tour reads an event only if it found one in a list.
    ['events.get'],
  ),
}

/** A value for every key. */
export type Profile = ValuesOf<typeof PROFILE_TABLE>

/** A key, or a section of keys, with dots, such as `ids.length`. */
export type ProfileName = NameIn<typeof PROFILE_TABLE>
