/**
 * Compares an expected value with a received one, for behaviors, steps and the tester's `verify`.
 *
 * An object must have the expected fields and may have others; a list must have the same length; anything else must be
 * equal. Any expected value may be a matcher: an object with only the operators below, such as `{ gte: 1, lt: 10 }`.
 * `{ type: card }` is an ordinary object, because `card` is not a JSON type.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { member, type NumberTexts } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { searches } from './regex.ts'

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

export interface MatchDifference {
  /** Such as `$.data[0].status`. */
  path: string
  /** As words or JSON, for display. */
  expected: string
  received: string
}

/** The word for a missing field in messages. */
const NOTHING = 'nothing'

/** An object with only operators. */
type MatcherObject = Readonly<Record<string, unknown>>

export interface Operator {
  /** For its operand: an object with another operand is not a matcher, but data. Its error is the rule for a message. */
  schema: z.ZodType
  accepts(operand: unknown, actual: unknown): boolean
  describe(operand: unknown): string
}

const operator = <Schema extends z.ZodType>(
  schema: Schema,
  explained: string,
  accepts: (operand: z.output<Schema>, actual: unknown) => boolean,
  describe: (operand: z.output<Schema>) => string,
) => ({ schema: schema.optional().describe(explained), accepts, describe })

/** Texts are compared by code units, which orders ISO timestamps by time. */
const Ordered = z.union([z.number(), z.string()], { error: 'must be a number or a text' })

const ordered = (
  explained: string,
  phrase: string,
  holds: (actual: number | string, operand: number | string) => boolean,
) =>
  operator(
    Ordered,
    explained,
    (operand, actual) => typeof actual === typeof operand && holds(actual as typeof operand, operand),
    (operand) => `${phrase} ${show(operand)}`,
  )

const By = z.union([z.string(), z.literal(true)])
const ties = z.literal(true).optional().describe('Equal neighbors count as ordered')

const Order = z.union(
  [
    z.enum(['asc', 'desc']),
    z.strictObject({ asc: By.describe('The field whose values rise; true: the items rise'), ties }),
    z.strictObject({ desc: By.describe('The field whose values fall; true: the items fall'), ties }),
  ],
  {
    error:
      'must be asc or desc, { desc: createdAt } for a field, or with ties: true, such as { desc: createdAt, ties: true }',
  },
)

export const OPERATORS = {
  gt: ordered('More than this', 'more than', (actual, operand) => actual > operand),
  gte: ordered('This or more', 'at least', (actual, operand) => actual >= operand),
  lt: ordered('Less than this', 'less than', (actual, operand) => actual < operand),
  lte: ordered('This or less', 'at most', (actual, operand) => actual <= operand),
  regex: operator(
    z.string('must be a regular expression such as ^chk_'),
    'A text that this regular expression matches',
    (operand, actual) => typeof actual === 'string' && searches(operand, actual),
    (operand) => `text like /${operand}/`,
  ),
  oneOf: operator(
    z.array(z.unknown(), 'must be a list such as [pending, completed]'),
    'Any of these values or matchers',
    (operand, actual) => operand.some((allowed) => matches(allowed, actual)),
    (operand) => `one of ${operand.map(describeExpected).join(', ')}`,
  ),
  not: operator(
    // It would always fail, because a missing value does not count as a different value.
    z
      .unknown()
      .refine(
        (operand) => !(isMatcher(operand) && ('exists' in operand || 'absent' in operand)),
        'must be a value or a matcher other than exists and absent, which have opposites already',
      ),
    'Anything but this value or matcher; the field must be there',
    (operand, actual) => actual !== undefined && !matches(operand, actual),
    (operand) => `anything but ${describeExpected(operand)}`,
  ),
  equals: operator(
    z.unknown(),
    'Exactly this value, without other fields; matcher names in it are data',
    (operand, actual) => isDeepStrictEqual(operand, actual),
    (operand) => `exactly ${show(operand)}`,
  ),
  exists: operator(
    z.boolean('must be true or false'),
    'Whether the field is there; it may be null',
    (operand, actual) => (actual !== undefined) === operand,
    (operand) => (operand ? 'anything' : NOTHING),
  ),
  absent: operator(
    z.literal(true, 'must be true'),
    'The field is not there: the same as exists: false',
    (_, actual) => actual === undefined,
    () => NOTHING,
  ),
  type: operator(
    z.enum(TYPES, `must be one of ${TYPES.join(', ')}`),
    'A value of this JSON type',
    (operand, actual) => (operand === 'integer' ? Number.isInteger(actual) : typeOf(actual) === operand),
    (operand) => `a value of type ${operand}`,
  ),
  length: operator(
    z
      .unknown()
      .refine(
        (operand) => typeof operand === 'number' || isMatcher(operand),
        'must be a number or a matcher such as { gte: 1 }',
      ),
    'A list or text of this length: a number or a matcher',
    (operand, actual) =>
      (Array.isArray(actual) || typeof actual === 'string') && matches(operand, actual.length),
    (operand) => `a length of ${describeExpected(operand)}`,
  ),
  contains: operator(
    z.unknown(),
    'A list that contains this item (a value or a matcher), or a text that contains this part',
    (operand, actual) =>
      Array.isArray(actual)
        ? actual.some((item) => matches(operand, item))
        : typeof actual === 'string' && typeof operand === 'string' && actual.includes(operand),
    (operand) => `something with ${describeExpected(operand)}`,
  ),
  every: operator(
    z.unknown(),
    'A list whose items all match',
    (operand, actual) => Array.isArray(actual) && actual.every((item) => matches(operand, item)),
    (operand) => `a list of which every item is ${describeExpected(operand)}`,
  ),
  none: operator(
    z.unknown(),
    'A list with no matching item',
    (operand, actual) => Array.isArray(actual) && !actual.some((item) => matches(operand, item)),
    (operand) => `a list of which no item is ${describeExpected(operand)}`,
  ),
  unique: operator(
    z.union([z.literal(true), z.string()], 'must be true, or the name of a field'),
    'A list without duplicates; with the name of a field, without duplicate values of that field',
    (operand, actual) => {
      if (!Array.isArray(actual)) return false
      const values = actual.map((item) => JSON.stringify(operand === true ? item : fieldOf(item, operand)))
      return new Set(values).size === values.length
    },
    (operand) => (operand === true ? 'a list without duplicates' : `a list without duplicate ${operand}`),
  ),
  sorted: operator(
    Order,
    'A list in this order: asc, desc, or { desc: createdAt } by a field. Equal neighbours fail, unless it has ties: true',
    (operand, actual) => Array.isArray(actual) && isSorted(actual, readOrder(operand)),
    (operand) => {
      const { direction, field, ties } = readOrder(operand)
      return `a list in the order ${direction}${field === undefined ? '' : ` of ${field}`}${ties ? '' : ', without ties'}`
    },
  ),
}

interface ListOrder {
  direction: string
  field: string | undefined
  ties: boolean
}

/** Reads `asc`, `{ asc: createdAt }` or `{ asc: true, ties: true }`. */
function readOrder(operand: z.output<typeof Order>): ListOrder {
  const { ties = false, ...order } = typeof operand === 'string' ? { [operand]: true } : operand
  const [[direction, field] = ['asc', true]] = Object.entries(order)
  return { direction, field: typeof field === 'string' ? field : undefined, ties: ties === true }
}

/** A value that cannot be compared with its neighbor is out of order. */
function isSorted(items: readonly unknown[], { direction, field, ties }: ListOrder): boolean {
  const values = items.map((item) => (field === undefined ? item : fieldOf(item, field)))
  const { accepts } =
    direction === 'asc' ? (ties ? OPERATORS.gte : OPERATORS.gt) : ties ? OPERATORS.lte : OPERATORS.lt
  return values.every((value, index) => index === 0 || accepts(values[index - 1] as never, value))
}

const fieldOf = (item: unknown, field: string): unknown =>
  isObject(item) && Object.hasOwn(item, field) ? item[field] : undefined

export function isMatcher(value: unknown): value is MatcherObject {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length > 0 &&
    entries.every(([name, operand]) => operatorNamed(name)?.schema.safeParse(operand).success === true)
  )
}

/** Undefined for a word that is not an operator. */
export const operatorNamed = (name: string): Operator | undefined =>
  Object.hasOwn(OPERATORS, name) ? (OPERATORS as Record<string, Operator>)[name] : undefined

/** The operators of a matcher that do not accept a value. */
const failedBy = (matcher: MatcherObject, actual: unknown): [name: string, operand: unknown][] =>
  Object.entries(matcher).filter(([name, operand]) => !operatorNamed(name)!.accepts(operand, actual))

const describeOperator = ([name, operand]: [string, unknown]): string =>
  operatorNamed(name)!.describe(operand)

interface CompareOptions {
  /** Unexpected fields count as differences. */
  exact?: true | undefined
  /** How the numbers of `actual` were written, by path, to show them the same way. */
  numbers?: NumberTexts | undefined
}

/** Every difference of `actual` from what was expected. */
export function differences(
  expected: unknown,
  actual: unknown,
  { exact, numbers }: CompareOptions = {},
): MatchDifference[] {
  const found: MatchDifference[] = []
  compare(expected, actual, '$', exact === true, found)
  if (!numbers) return found
  return found.map((difference) => ({
    ...difference,
    received: numbers.get(difference.path) ?? difference.received,
  }))
}

export function matches(expected: unknown, actual: unknown): boolean {
  return differences(expected, actual).length === 0
}

function compare(
  expected: unknown,
  actual: unknown,
  path: string,
  exact: boolean,
  found: MatchDifference[],
): void {
  if (isMatcher(expected)) {
    const wrong = failedBy(expected, actual)
    if (Array.isArray(actual)) {
      for (const [name, operand] of wrong) compareList(name, operand, actual, path, exact, found)
    } else if (wrong.length > 0) {
      found.push({ path, expected: wrong.map(describeOperator).join(' and '), received: brief(actual) })
    }
    return
  } else if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, item] of expected.entries())
      compare(item, actual[index], `${path}[${index}]`, exact, found)
    return
  } else if (isObject(expected) && isObject(actual)) {
    for (const [name, value] of Object.entries(expected)) {
      compare(
        value,
        Object.hasOwn(actual, name) ? actual[name] : undefined,
        path + member(name),
        exact,
        found,
      )
    }
    for (const name of exact ? Object.keys(actual) : []) {
      if (Object.hasOwn(expected, name)) continue
      found.push({ path: path + member(name), expected: NOTHING, received: show(actual[name]) })
    }
    return
  } else if (expected === actual) return

  const isListWithFields = isObject(expected) && Array.isArray(actual)
  const received = isListWithFields ? `a list, which has no fields${meantOperator(expected)}` : brief(actual)
  found.push({ path, expected: describeExpected(expected), received })
}

const meantOperator = (expected: object): string =>
  Object.keys(expected)
    .map((name) => didYouMean(name, Object.keys(OPERATORS)))
    .find((guess) => guess !== '') ?? ''

/**
 * Adds the differences of a list from an operator such as `every`, for single items if possible, which is more useful than the
 * whole list.
 */
function compareList(
  name: string,
  operand: unknown,
  actual: readonly unknown[],
  path: string,
  exact: boolean,
  found: MatchDifference[],
): void {
  const expected = describeOperator([name, operand])
  if (name === 'every') {
    for (const [index, item] of actual.entries()) compare(operand, item, `${path}[${index}]`, exact, found)
  } else if (name === 'none') {
    for (const [index, item] of actual.entries())
      if (matches(operand, item)) found.push({ path: `${path}[${index}]`, expected, received: brief(item) })
  } else {
    const field =
      name === 'unique' ? operand : name === 'sorted' ? readOrder(operand as never).field : undefined
    const values = typeof field === 'string' ? actual.map((item) => fieldOf(item, field)) : actual
    const received = name === 'length' ? `a length of ${actual.length}` : brief(values)
    found.push({ path, expected, received })
  }
}

function describeExpected(expected: unknown): string {
  return isMatcher(expected) ? Object.entries(expected).map(describeOperator).join(' and ') : show(expected)
}

/** Shortened: the whole value is shown elsewhere. */
const brief = (value: unknown): string =>
  typeof value === 'object' && value !== null ? quoted(value) : show(value)

const show = (value: unknown): string => (value === undefined ? NOTHING : JSON.stringify(value))

function typeOf(value: unknown): (typeof TYPES)[number] | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return TYPES.find((type) => type === typeof value)
}
