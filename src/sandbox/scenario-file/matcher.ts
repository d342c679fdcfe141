/**
 * Compares an expected value with a received one, for behaviors, steps and the tester's `verify`.
 *
 * An object must have the expected fields and may have others; a list must have the same length; anything else must be
 * equal. Any expected value may be a matcher: an object with only the operators below, such as `{ gte: 1, lt: 10 }`.
 * `{ type: card }` is an ordinary object, because `card` is not a JSON type.
 */
import { isDeepStrictEqual } from 'node:util'
import { member, type NumberTexts } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { searches } from './regex.ts'

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
type JsonType = (typeof TYPES)[number]

export const SORTED_RULE =
  'must be asc or desc, { desc: createdAt } for a field, or with ties: true, such as { desc: createdAt, ties: true }'

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
export type MatcherObject = Readonly<Record<string, unknown>>

export interface Operator {
  /**
   * Whether the operand has the right type; otherwise the object is not a matcher, but an ordinary object.
   */
  allows(operand: unknown): boolean
  /** The rule for the operand, for a message; left out if any operand is allowed. */
  rule?: string
  accepts(operand: never, actual: unknown): boolean
  describe(operand: never): string
}

const isOrdered = (value: unknown): value is number | string =>
  typeof value === 'number' || typeof value === 'string'

const ordered = (
  phrase: string,
  holds: (actual: number | string, operand: number | string) => boolean,
): Operator => ({
  allows: isOrdered,
  rule: 'must be a number or a text',
  accepts: (operand: number | string, actual) =>
    typeof actual === typeof operand && isOrdered(actual) && holds(actual, operand),
  describe: (operand) => `${phrase} ${show(operand)}`,
})

export const OPERATORS: Readonly<Record<string, Operator>> = {
  gt: ordered('more than', (actual, operand) => actual > operand),
  gte: ordered('at least', (actual, operand) => actual >= operand),
  lt: ordered('less than', (actual, operand) => actual < operand),
  lte: ordered('at most', (actual, operand) => actual <= operand),
  regex: {
    allows: (operand) => typeof operand === 'string',
    rule: 'must be a regular expression such as ^chk_',
    accepts: (operand: string, actual) => typeof actual === 'string' && searches(operand, actual),
    describe: (operand) => `text like /${operand}/`,
  },
  oneOf: {
    allows: Array.isArray,
    rule: 'must be a list such as [pending, completed]',
    accepts: (operand: unknown[], actual) => operand.some((one) => matches(one, actual)),
    describe: (operand: unknown[]) => `one of ${operand.map(describeExpected).join(', ')}`,
  },
  exists: {
    allows: (operand) => typeof operand === 'boolean',
    rule: 'must be true or false',
    accepts: (operand: boolean, actual) => (actual !== undefined) === operand,
    describe: (operand: boolean) => (operand ? 'anything' : NOTHING),
  },
  not: {
    // It would always fail, as a value that is not there is no other value either.
    allows: (operand) => !(isMatcher(operand) && ('exists' in operand || 'absent' in operand)),
    rule: 'must be a value or a matcher other than exists and absent, which have no need of it',
    accepts: (operand, actual) => actual !== undefined && !matches(operand, actual),
    describe: (operand) => `anything but ${describeExpected(operand)}`,
  },
  equals: {
    allows: () => true,
    accepts: (operand, actual) => isDeepStrictEqual(operand, actual),
    describe: (operand) => `exactly ${show(operand)}`,
  },
  absent: {
    allows: (operand) => operand === true,
    rule: 'must be true',
    accepts: (_: true, actual) => actual === undefined,
    describe: () => NOTHING,
  },
  type: {
    allows: (operand) => TYPES.includes(operand as JsonType),
    rule: `must be one of ${TYPES.join(', ')}`,
    accepts: (operand: JsonType, actual) =>
      operand === 'integer' ? Number.isInteger(actual) : typeOf(actual) === operand,
    describe: (operand: JsonType) => `a value of type ${operand}`,
  },
  length: {
    allows: (operand) => typeof operand === 'number' || isMatcher(operand),
    rule: 'must be a number or a matcher such as { gte: 1 }',
    accepts: (operand, actual) =>
      (Array.isArray(actual) || typeof actual === 'string') && matches(operand, actual.length),
    describe: (operand) => `a length of ${describeExpected(operand)}`,
  },
  contains: {
    allows: () => true,
    accepts: (operand, actual) =>
      Array.isArray(actual)
        ? actual.some((item) => matches(operand, item))
        : typeof actual === 'string' && typeof operand === 'string' && actual.includes(operand),
    describe: (operand) => `something with ${describeExpected(operand)}`,
  },
  every: {
    allows: () => true,
    accepts: (operand, actual) => Array.isArray(actual) && actual.every((item) => matches(operand, item)),
    describe: (operand) => `a list of which every item is ${describeExpected(operand)}`,
  },
  none: {
    allows: () => true,
    accepts: (operand, actual) => Array.isArray(actual) && !actual.some((item) => matches(operand, item)),
    describe: (operand) => `a list of which no item is ${describeExpected(operand)}`,
  },
  unique: {
    allows: (operand) => operand === true || typeof operand === 'string',
    rule: 'must be true, or the name of a field',
    accepts: (operand: true | string, actual) => {
      if (!Array.isArray(actual)) return false
      const values = actual.map((item) => JSON.stringify(operand === true ? item : fieldOf(item, operand)))
      return new Set(values).size === values.length
    },
    describe: (operand: true | string) =>
      operand === true ? 'a list without the same item twice' : `a list without the same ${operand} twice`,
  },
  sorted: {
    allows: (operand) => readOrder(operand) !== undefined,
    rule: SORTED_RULE,
    accepts: (operand, actual) => Array.isArray(actual) && isSorted(actual, readOrder(operand)!),
    describe: (operand) => {
      const { direction, field, ties } = readOrder(operand)!
      return `a list in the order ${direction}${field === undefined ? '' : ` of ${field}`}${ties ? '' : ', without ties'}`
    },
  },
}

interface ListOrder {
  direction: 'asc' | 'desc'
  field: string | undefined
  ties: boolean
}

/** Reads `asc`, `{ asc: createdAt }` or `{ asc: true, ties: true }`. */
function readOrder(operand: unknown): ListOrder | undefined {
  const { ties, ...order } = isObject(operand) ? operand : { [String(operand)]: true }
  const [[direction, field] = [], another] = Object.entries(order)
  const isOrder = direction === 'asc' || direction === 'desc'
  if (!isOrder || another || !(ties === undefined || ties === true)) return undefined
  if (typeof field !== 'string' && field !== true) return undefined
  return { direction, field: field === true ? undefined : field, ties: ties === true }
}

/** A value that cannot be compared with its neighbour is out of order. */
function isSorted(items: readonly unknown[], { direction, field, ties }: ListOrder): boolean {
  const values = items.map((item) => (field === undefined ? item : fieldOf(item, field)))
  const follows = OPERATORS[(direction === 'asc' ? 'gt' : 'lt') + (ties ? 'e' : '')]!
  return values.every((value, index) => index === 0 || follows.accepts(values[index - 1] as never, value))
}

const fieldOf = (item: unknown, field: string): unknown =>
  isObject(item) && Object.hasOwn(item, field) ? item[field] : undefined

export function isMatcher(value: unknown): value is MatcherObject {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length > 0 && entries.every(([name, operand]) => operatorNamed(name)?.allows(operand) === true)
  )
}

/** Undefined for a word that is not an operator. */
export const operatorNamed = (name: string): Operator | undefined =>
  Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined

/** The operators of a matcher that do not accept a value. */
const failedBy = (matcher: MatcherObject, actual: unknown): [name: string, operand: never][] =>
  (Object.entries(matcher) as [string, never][]).filter(
    ([name, operand]) => !OPERATORS[name]!.accepts(operand, actual),
  )

const describeOperator = ([name, operand]: [string, unknown]): string =>
  OPERATORS[name]!.describe(operand as never)

export interface CompareOptions {
  /** Additional fields are differences too. */
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
  return found.map((one) => ({ ...one, received: numbers.get(one.path) ?? one.received }))
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
 * Adds the differences of a list from an operator such as `every`: for single items where possible, which say
 * more than the whole list.
 */
function compareList(
  name: string,
  operand: never,
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
    const field = name === 'unique' ? operand : name === 'sorted' ? readOrder(operand)?.field : undefined
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

function typeOf(value: unknown): JsonType | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return TYPES.find((type) => type === typeof value)
}
