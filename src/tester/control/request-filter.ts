/** The tester's filters for requests, one per row: its input, its field on the dashboard, and its test. */
import { z } from 'zod'
import { Op } from '../../sandbox/scenario-file/call-pattern.ts'
import type { StatusClass } from '../../sandbox/scenario-file/requests.ts'
import { DOOR_STEPS, type JournalEntry } from '../../service/door/journal-entry.ts'
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { matchesOperation, OPERATION_IDS } from '../../spec/contract/endpoints.ts'
import { invalidParameter } from '../../spec/contract/errors.ts'
import { idKindOf, requestNumber } from '../../spec/contract/ids.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import { escapeRegExp } from '../../spec/contract/reg-exp.ts'
import { text } from '../../spec/contract/tester.ts'
import { oneOf, typedAs } from '../../spec/contract/wire.ts'
import type { Written } from '../../spec/contract/written.ts'
import { instant } from '../../spec/options/values.ts'
import { historyWindow, type TimeOrDate } from './inputs.ts'

type Fits = (entry: JournalEntry) => boolean

/** A choice: its value, or a pair of value and label. */
export type FormOption = string | readonly [value: string, words: string]

/** The field of the dashboard's form. */
export interface FormField {
  label: string
  /** The choices; omitted if any text is allowed. */
  options?: readonly FormOption[] | undefined
  placeholder?: string
  /** Behind "More filters", unless it is used. */
  isRare?: boolean
}

interface FilterRow<Schema extends z.ZodType> {
  schema: Schema
  /** The schema in a query, where every value is a text; omitted if it is the same. */
  inQuery?: z.ZodType<string>
  form: FormField
  /** Parses the given value once, and returns the test for each request. */
  fits(given: z.output<Schema>): Fits
}

const filter = <Schema extends z.ZodType>(row: FilterRow<Schema>) => row

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
const STATUS_RULE = 'must be a status such as 409 or 4xx, or none'
const OFTEN = ['2xx', '4xx', '5xx', '400', '401', '403', '404', '409', '422', '429']

/** Whether a status matches the filter: 409, 4xx, or none. */
function matchesStatus(asked: string): (status: number | null) => boolean {
  if (asked === 'none') return (status) => status === null
  const start = asked.replace('xx', '')
  return (status) => status !== null && String(status).startsWith(start)
}

export type RequestStatus = number | `${number}` | StatusClass | 'none'
export const RequestStatus = typedAs<RequestStatus>(
  z.union([z.int().min(100).max(599), z.string().regex(/^([1-5](\d\d|xx)|none)$/, STATUS_RULE)], STATUS_RULE),
)

export const TimeOrRequest = z.union([z.string(), z.number(), z.date()])
const timeOrRequest = (description: string) => ({
  schema: TimeOrRequest.meta({ description }),
  inQuery: z.string().meta({ description }),
})

/** In the order of the form. */
export const REQUEST_FILTERS = {
  text: filter({
    schema: text.describe(
      'A part of its path, key, order or error, in any case, or its amount: 12.50, or 1250 in cents',
    ),
    form: { label: 'Text', placeholder: 'order, key, error' },
    fits: hasText,
  }),
  op: filter({
    schema: Op,
    form: { label: 'Operation', options: OPERATION_IDS },
    fits(pattern) {
      const isMeant = matchesOperation(pattern)
      return ({ operation }) => operation !== null && isMeant(operation)
    },
  }),
  status: filter({
    schema: RequestStatus.describe('`409`, `4xx`, or `none` for a request still in flight'),
    form: { label: 'Status', options: [...OFTEN, ['none', 'without an answer']] },
    fits(asked) {
      const isMeant = matchesStatus(String(asked))
      return ({ status }) => isMeant(status)
    },
  }),
  only: filter({
    schema: oneOf(['failing', 'broken', 'stubs']).describe(
      'failing: refused, failed or without an answer; broken: of these, with a broken connection; stubs: outside the endpoints of the service',
    ),
    form: {
      label: 'Only',
      options: [
        ['failing', 'failing'],
        ['broken', 'connection broken'],
        ['stubs', 'answered by a stub'],
      ],
    },
    fits: (only) => ({ failing: isFailing, broken: isLost, stubs: isStubbed })[only],
  }),
  method: filter({
    schema: z
      .string()
      .toUpperCase()
      .pipe(z.enum(METHODS, `must be one of ${METHODS.join(', ')}`))
      .describe('Such as POST'),
    form: { label: 'Method', options: METHODS, isRare: true },
    fits: (asked) => (entry) => entry.asked.method === asked,
  }),
  key: filter({
    schema: text.describe('The Idempotency-Key'),
    form: { label: 'Idempotency-Key', isRare: true },
    fits: (asked) => (entry) => entry.key === asked,
  }),
  resource: filter({
    schema: text.describe('The id of a resource that the request named, or that it changed'),
    form: { label: 'Resource', placeholder: 'its id', isRare: true },
    fits: (id) => isAbout([id]),
  }),
  behavior: filter({
    schema: text.describe('The id of a behavior that acted on it'),
    form: { label: 'Behavior that acted', isRare: true },
    fits: (id) => (entry) => entry.behaviors.some((one) => one.fired && one.behavior === id),
  }),
  since: filter({
    ...timeOrRequest(
      "A time on the sandbox's clock: what arrived then or later; or a request: what arrived after it",
    ),
    form: { label: 'Since', placeholder: '5m or req_12', isRare: true },
    fits: (since) =>
      isRequestId(since)
        ? hasNumber('since', since, (number, limit) => number > limit)
        : arrived('since', since, (at, limit) => at >= limit),
  }),
  until: filter({
    ...timeOrRequest("A time on the sandbox's clock, or a request: what arrived before it"),
    form: { label: 'Until', placeholder: '5m or req_12', isRare: true },
    fits: (until) =>
      isRequestId(until)
        ? hasNumber('until', until, (number, limit) => number < limit)
        : arrived('until', until, (at, limit) => at < limit),
  }),
}

/** Ids cannot be guessed, so a request that contains one of them is about it. */
export function isAbout(ids: readonly string[]): Fits {
  const anyOf = new RegExp(ids.map(escapeRegExp).join('|'))
  return ({ asked, events }) =>
    anyOf.test(asked.target) ||
    anyOf.test(asked.body) ||
    events.some(({ resourceId }) => ids.includes(resourceId))
}

/** The door refuses an unknown path at `route`; an entry without an operation that got further was answered by a stub. */
export const isStubbed = ({ operation, step }: JournalEntry): boolean =>
  operation === null && DOOR_STEPS.indexOf(step) > DOOR_STEPS.indexOf('route')

type FilterName = keyof typeof REQUEST_FILTERS
const FILTERS = Object.entries(REQUEST_FILTERS) as [FilterName, FilterRow<z.ZodType>][]

const fieldsBy = (schemaOf: (row: FilterRow<z.ZodType>) => z.ZodType) =>
  Object.fromEntries(FILTERS.map(([name, row]) => [name, schemaOf(row).optional()])) as {
    [Name in FilterName]: z.ZodOptional<(typeof REQUEST_FILTERS)[Name]['schema']>
  }

/** A request must match every given filter. */
export const RequestFilter = z.strictObject({ ...fieldsBy(({ schema }) => schema), ...historyWindow })
export type RequestFilter = Written<typeof RequestFilter>

/** The filters' schemas as query parameters. */
export const requestParameters = fieldsBy(({ schema, inQuery = schema }) => inQuery)

/** The tests that a request must pass: all filters and the cursor, without the limit. */
export function askedConditions({ cursor, ...filter }: Omit<RequestFilter, 'limit'>): Fits[] {
  const asked = FILTERS.flatMap(([name, row]) => (filter[name] === undefined ? [] : [row.fits(filter[name])]))
  return cursor === undefined
    ? asked
    : [...asked, hasNumber('cursor', cursor, (number, limit) => number < limit)]
}

const isLost: Fits = ({ fault, clientLeft }) => clientLeft || arrivingUnder(fault) !== 'whole'

const isFailing: Fits = (entry) => isLost(entry) || (entry.status !== null && entry.status >= 400)

const isRequestId = (given: TimeOrDate): given is string =>
  typeof given === 'string' && idKindOf(given) === 'request'

function arrived(name: string, time: TimeOrDate, holds: (at: number, limit: number) => boolean): Fits {
  const limit = instant(time, name)
  return ({ at }) => holds(at, limit)
}

/** Compares by number, because requests are numbered in order of arrival. */
function hasNumber(name: string, id: string, holds: (number: number, limit: number) => boolean): Fits {
  const limit = requestNumber(id)
  if (Number.isNaN(limit)) throw invalidParameter(name, 'must be a request such as req_12')
  return (entry) => holds(requestNumber(entry.id), limit)
}

/** Only the start of a body is searched: searching 10,000 long ones completely would take a second. */
const SEARCHED_CHARS = 2_000

function hasText(asked: string): Fits {
  const part = asked.toLowerCase()
  const amounts = amountsOf(asked)
  const isIn = (long: string | null) => (long ?? '').slice(0, SEARCHED_CHARS).toLowerCase().includes(part)
  return ({ id, asked: { method, target, body }, key, fault, status, answered, events, behaviors }) =>
    id === asked ||
    isIn(`${method} ${target}`) ||
    isIn(key) ||
    isIn(body) ||
    (status !== null && status >= 400 && isIn(answered!.body)) ||
    fault === part ||
    events.some(({ resourceId }) => isIn(resourceId)) ||
    behaviors.some(({ fired, behavior }) => fired && isIn(behavior)) ||
    (amounts.length > 0 && amounts.includes(amountIn(body)))
}

/** A number with or without its currency before or after it. A code needs a space, because `ord12` is the name of an order. */
const AMOUNT =
  /^(?:\p{Sc}\s*|[a-z]{3}\s+)?(\d{1,3}(?:,\d{3})+|\d{1,11})([.,]\d{1,2})?(?:\s*\p{Sc}|\s+[a-z]{3})?$/iu

/** The amounts in cents that a text may mean: dollars, and without decimals also cents. */
export function amountsOf(text: string): number[] {
  const digits = AMOUNT.exec(text.trim())
  if (digits === null) return []
  const [, whole = '', decimals = ''] = digits
  const major = Number(whole.replaceAll(',', '') + decimals.replace(',', '.'))
  return decimals === '' ? [fromMajor(major), major] : [fromMajor(major)]
}

function amountIn(body: string): number {
  const amount = /"amount"\s*:\s*(\d{1,12}(?:\.\d{1,2})?)\s*[,}]/.exec(body.slice(0, SEARCHED_CHARS))
  return amount === null ? Number.NaN : fromMajor(Number(amount[1]))
}
