/**
 * How what was expected is compared with what came, for behaviors, steps and the tester's verify alike.
 *
 * An expected object names the fields that matter and leaves the others open; an expected list has as many items as
 * the received one; anything else is compared for equality. In the place of any value may stand a matcher, an object
 * of nothing but the words below: `{ gte: 1, lt: 10 }`. `{ type: card }` is not one, as `card` is no type of JSON.
 */

import { z } from 'zod'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
type JsonType = (typeof TYPES)[number]

/** Numbers are compared as numbers, and texts as texts, which for timestamps is their order in time. */
const Ordered = z.union([z.number(), z.string()], { error: 'must be a number or a text' })

export const Matcher = z
  .strictObject({
    gt: Ordered.optional().describe('More than this'),
    gte: Ordered.optional().describe('This or more'),
    lt: Ordered.optional().describe('Less than this'),
    lte: Ordered.optional().describe('This or less'),
    regex: z.string().optional().describe('A text that this regular expression finds something in'),
    oneOf: z.array(z.unknown()).optional().describe('Any of these values or matchers'),
    exists: z.boolean().optional().describe('Whether the field is there at all, be it null'),
    type: z.enum(TYPES).optional().describe('A value of this JSON type'),
  })
  .superRefine(noMistakes)
  .meta({ id: 'Matcher', description: 'A matcher stands in the place of a value' })
export type Matcher = z.infer<typeof Matcher>

/** What a body is expected to be: JSON of any shape, with matchers in the place of any value. */
export const Expected = z.unknown().superRefine(noMistakes)

export interface MatchDifference {
  /** Where, as in `$.data[0].status`. */
  path: string
  /** In words or as JSON, ready to be shown. */
  expected: string
  received: string
}

/** How a field that is not there is shown. */
const NOTHING = 'nothing'

interface Word {
  /** What the word may be given. An object with anything else there is not a matcher. */
  takes(operand: unknown): boolean
  accepts(operand: never, actual: unknown): boolean
  says(operand: never): string
}

const isOrdered = (value: unknown): value is number | string =>
  typeof value === 'number' || typeof value === 'string'

const ordered = (
  says: string,
  holds: (actual: number | string, operand: number | string) => boolean,
): Word => ({
  takes: isOrdered,
  accepts: (operand: number | string, actual) =>
    typeof actual === typeof operand && isOrdered(actual) && holds(actual, operand),
  says: (operand) => `${says} ${show(operand)}`,
})

const WORDS: { [Name in keyof Required<Matcher>]: Word } = {
  gt: ordered('more than', (actual, operand) => actual > operand),
  gte: ordered('at least', (actual, operand) => actual >= operand),
  lt: ordered('less than', (actual, operand) => actual < operand),
  lte: ordered('at most', (actual, operand) => actual <= operand),
  regex: {
    takes: (operand) => typeof operand === 'string',
    accepts: (operand: string, actual) => typeof actual === 'string' && new RegExp(operand, 'u').test(actual),
    says: (operand) => `text like /${operand}/`,
  },
  oneOf: {
    takes: Array.isArray,
    accepts: (operand: unknown[], actual) => operand.some((one) => matches(one, actual)),
    says: (operand: unknown[]) => `one of ${operand.map(describe).join(', ')}`,
  },
  exists: {
    takes: (operand) => typeof operand === 'boolean',
    accepts: (operand: boolean, actual) => (actual !== undefined) === operand,
    says: (operand: boolean) => (operand ? 'anything' : NOTHING),
  },
  type: {
    takes: (operand) => TYPES.includes(operand as JsonType),
    accepts: (operand: JsonType, actual) =>
      operand === 'integer' ? Number.isInteger(actual) : typeOf(actual) === operand,
    says: (operand) => `a value of type ${operand}`,
  },
}

export function isMatcher(value: unknown): value is Matcher {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(([name, operand]) => wordNamed(name)?.takes(operand) === true)
}

const wordNamed = (name: string): Word | undefined =>
  Object.hasOwn(WORDS, name) ? WORDS[name as keyof Matcher] : undefined

const wordsOf = (matcher: Matcher) => Object.entries(matcher) as [keyof Matcher, never][]

/** Everything in which `actual` is not what was expected; with `exact`, also fields that nobody expected. */
export function differences(expected: unknown, actual: unknown, { exact = false } = {}): MatchDifference[] {
  const found: MatchDifference[] = []
  compare(expected, actual, '$', exact, found)
  return found
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
    if (wordsOf(expected).every(([name, operand]) => WORDS[name].accepts(operand, actual))) return
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

  found.push({ path, expected: describe(expected), received: show(actual) })
}

/** How a field is written in a path. */
export const member = (name: string) =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

function describe(expected: unknown): string {
  if (!isMatcher(expected)) return show(expected)
  return wordsOf(expected)
    .map(([name, operand]) => WORDS[name].says(operand))
    .join(' and ')
}

const show = (value: unknown): string => (value === undefined ? NOTHING : JSON.stringify(value))

function typeOf(value: unknown): JsonType | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return TYPES.find((type) => type === typeof value)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A regular expression that cannot be read would never match, and nobody would know why. */
function noMistakes(expected: unknown, context: z.RefinementCtx, path: PropertyKey[] = []): void {
  if (isMatcher(expected) && expected.regex !== undefined && !isRegex(expected.regex)) {
    const message = 'must be a regular expression of JavaScript, such as ^chk_'
    context.addIssue({ code: 'custom', path: [...path, 'regex'], message })
  }
  if (typeof expected !== 'object' || expected === null) return
  for (const [name, value] of Object.entries(expected)) {
    noMistakes(value, context, [...path, Array.isArray(expected) ? Number(name) : name])
  }
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
