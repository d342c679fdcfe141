/**
 * Compares an expected value with a received one, for behaviors, steps and the tester's `verify`.
 *
 * An object must have the expected fields and may have others; a list must have the same length; anything else must be
 * equal. Any expected value may be a matcher: an object with only the operators below, such as `{ gte: 1, lt: 10 }`.
 * `{ type: card }` is an ordinary object, because `card` is not a JSON type.
 */
import { z } from 'zod'
import { member, type NumberTexts } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import type { Written } from '../../spec/contract/written.ts'
import { isSearchable, REGEX_RULE, searches } from './regex.ts'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
type JsonType = (typeof TYPES)[number]

/** Texts are compared by code units, which for ISO timestamps is their order in time. */
const Ordered = z.union([z.number(), z.string()], { error: 'must be a number or a text' })

const Direction = z.enum(['asc', 'desc'])
const SORTED_RULE = 'must be asc or desc, or { desc: createdAt } for a field'

export const Matcher = z
  .strictObject({
    gt: Ordered.optional().describe('More than this'),
    gte: Ordered.optional().describe('This or more'),
    lt: Ordered.optional().describe('Less than this'),
    lte: Ordered.optional().describe('This or less'),
    regex: z.string().optional().describe('A text that this regular expression matches'),
    oneOf: z.array(z.unknown()).optional().describe('Any of these values or matchers'),
    exists: z.boolean().optional().describe('Whether the field is there; it may be null'),
    absent: z.literal(true).optional().describe('The field is not there: the same as exists: false'),
    type: z.enum(TYPES).optional().describe('A value of this JSON type'),
    length: z.unknown().optional().describe('A list or text of this length: a number or a matcher'),
    contains: z
      .unknown()
      .optional()
      .describe('A list that has this item, also one that a matcher describes; or a text with this part'),
    every: z.unknown().optional().describe('A list of which every item is so'),
    none: z.unknown().optional().describe('A list of which no item is so'),
    unique: z
      .union([z.literal(true), z.string()])
      .optional()
      .describe('A list without the same item twice; with the name of a field, without the same value of it'),
    sorted: z
      .union(
        [
          Direction,
          z.strictObject({ asc: z.string().describe('The field whose values rise') }),
          z.strictObject({ desc: z.string().describe('The field whose values fall') }),
        ],
        {
          error: SORTED_RULE,
        },
      )
      .optional()
      .describe('A list in this order: asc, desc, or { desc: createdAt } by a field'),
  })
  .superRefine(checkMatchers)
  .meta({ id: 'Matcher', description: 'Takes the place of a value' })
/** Takes the place of a value: all of what is given must hold. */
export type Matcher = Written<typeof Matcher>

/** A regular expression that is searched for in a text. */
export const Regex = z.string().refine(isSearchable, REGEX_RULE)

/** Any JSON, in which matchers may take the place of values. */
export const Expected = z.unknown().superRefine(checkMatchers)

export interface MatchDifference {
  /** Such as `$.data[0].status`. */
  path: string
  /** As words or JSON, for display. */
  expected: string
  received: string
}

/** The word for a missing field in messages. */
const NOTHING = 'nothing'

interface Operator {
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

const OPERATORS: { [Name in keyof Required<Matcher>]: Operator } = {
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
    describe: (operand) => `a value of type ${operand}`,
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
      const { direction, field } = readOrder(operand)!
      return `a list in the order ${direction}${field === undefined ? '' : ` of ${field}`}`
    },
  },
}

interface ListOrder {
  direction: z.infer<typeof Direction>
  field: string | undefined
}

/** Reads `asc` or `{ asc: createdAt }`. */
function readOrder(operand: unknown): ListOrder | undefined {
  const [direction, field] =
    typeof operand === 'string' ? [operand] : isObject(operand) ? (Object.entries(operand)[0] ?? []) : []
  if ((direction !== 'asc' && direction !== 'desc') || !['string', 'undefined'].includes(typeof field)) return
  return { direction, field: field as string | undefined }
}

/** Equal neighbours are in order; a value that cannot be compared with its neighbour is not. */
function isSorted(items: readonly unknown[], { direction, field }: ListOrder): boolean {
  const values = items.map((item) => (field === undefined ? item : fieldOf(item, field)))
  const { gte, lte } = OPERATORS
  const follows = direction === 'asc' ? gte : lte
  return values.every((value, index) => index === 0 || follows.accepts(values[index - 1] as never, value))
}

const fieldOf = (item: unknown, field: string): unknown =>
  isObject(item) && Object.hasOwn(item, field) ? item[field] : undefined

export function isMatcher(value: unknown): value is Matcher {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length > 0 && entries.every(([name, operand]) => operatorNamed(name)?.allows(operand) === true)
  )
}

export const MATCHER_NAMES = Object.keys(OPERATORS)

const operatorNamed = (name: string): Operator | undefined =>
  Object.hasOwn(OPERATORS, name) ? OPERATORS[name as keyof Matcher] : undefined

const operatorsOf = (matcher: Matcher) => Object.entries(matcher) as [keyof Matcher, never][]

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
    const wrong = operatorsOf(expected).filter(([name, operand]) => !OPERATORS[name].accepts(operand, actual))
    if (Array.isArray(actual)) {
      for (const [name, operand] of wrong) compareList(name, operand, actual, path, exact, found)
    } else if (wrong.length > 0) {
      const all = wrong.map(([name, operand]) => OPERATORS[name].describe(operand))
      found.push({ path, expected: all.join(' and '), received: brief(actual) })
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
  name: keyof Matcher,
  operand: never,
  actual: readonly unknown[],
  path: string,
  exact: boolean,
  found: MatchDifference[],
): void {
  const expected = OPERATORS[name].describe(operand)
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
  if (!isMatcher(expected)) return show(expected)
  return operatorsOf(expected)
    .map(([name, operand]) => OPERATORS[name].describe(operand))
    .join(' and ')
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

/**
 * Refuses two mistakes when the file is read: an invalid regular expression, which would never match, and a
 * matcher with one wrong operand, which would be compared as an ordinary object.
 */
function checkMatchers(expected: unknown, context: z.RefinementCtx, path: PropertyKey[] = []): void {
  if (isMatcher(expected) && expected.regex !== undefined && !isSearchable(expected.regex)) {
    context.addIssue({ code: 'custom', path: [...path, 'regex'], message: REGEX_RULE })
  }
  if (typeof expected !== 'object' || expected === null) return
  for (const [name, message] of wrongOperands(expected))
    context.addIssue({ code: 'custom', path: [...path, name], message })
  for (const [name, value] of Object.entries(expected)) {
    checkMatchers(value, context, [...path, Array.isArray(expected) ? Number(name) : name])
  }
}

function wrongOperands(expected: object): [name: string, rule: string][] {
  const names = Object.keys(expected)
  if (Array.isArray(expected) || !names.every((name) => operatorNamed(name) !== undefined)) return []
  return Object.entries(expected).flatMap(([name, operand]): [string, string][] => {
    const { allows, rule } = operatorNamed(name)!
    // The value of a placeholder is not known yet. And `type` may be an ordinary field of an answer.
    const isOpen = typeof operand === 'string' && operand.includes('${')
    const meant = name === 'type' ? didYouMean(String(operand), TYPES) : ''
    const isField = name === 'type' && names.length === 1 && meant === ''
    if (rule === undefined || allows(operand) || isOpen || isField) return []
    return [[name, meant === '' ? rule : `${rule}, not ${quoted(operand)}${meant}`]]
  })
}
