/** The schema of a matcher, and mistakes that would turn a matcher into data. */
import { z } from 'zod'
import { quoted } from '../../spec/contract/shortened.ts'
import { didYouMean, suggest } from '../../spec/contract/suggest.ts'
import type { Written } from '../../spec/contract/written.ts'
import { CONTRACT_FIELDS } from './contract-fields.ts'
import { isMatcher, OPERATORS, operatorNamed, TYPES } from './matcher.ts'
import { isSearchable, REGEX_RULE } from './regex.ts'

type Shape = { [Name in keyof typeof OPERATORS]: (typeof OPERATORS)[Name]['schema'] }

export const Matcher = z
  .strictObject(
    Object.fromEntries(Object.entries(OPERATORS).map(([name, { schema }]) => [name, schema])) as Shape,
  )
  .superRefine(checkMatchers)
  .meta({ id: 'Matcher', description: 'Replaces a value' })
/** Replaces a value: all its conditions must hold. */
export type Matcher = Written<typeof Matcher>

export const TextOrMatcher = z.union([z.string(), Matcher], { error: 'must be a text or a matcher' })

/** A regular expression that is searched for in a text. */
export const Regex = z.string().refine(isSearchable, REGEX_RULE)

/** Any JSON, with matchers allowed as values. */
export const Expected = z.unknown().superRefine(checkMatchers)

/**
 * What to write for the words of other tools, and for `atLeast`, `atMost` and `each` of a step: as data they match nothing, so a
 * step with `exactly: 0` would pass.
 */
const OF_OTHER_TOOLS = new Map(
  Object.entries({
    not: 'ne neq notEqual notEquals',
    equals: 'eq equal',
    regex: 'matches match like',
    'regex: ^…': 'startsWith beginsWith',
    'regex: …$': 'endsWith',
    oneOf: 'in anyOf',
    'not: { oneOf: … }': 'notIn nin',
    gte: 'min minimum atLeast',
    gt: 'greaterThan',
    lte: 'max maximum atMost',
    lt: 'lessThan',
    'not: null': 'notNull',
    null: 'isNull',
    'exists: true': 'present',
    'absent: true': 'missing',
    contains: 'includes any some',
    every: 'all each',
    length: 'size',
    'length: { gte: … }': 'minLength minItems',
    'length: { lte: … }': 'maxLength maxItems',
  }).flatMap(([meant, words]) => words.split(' ').map((word) => [word, meant] as const)),
)

/** The operator that a word probably means; undefined for an operator itself, and for a field of the contract. */
function meantOperator(word: string): string | undefined {
  if (operatorNamed(word) || CONTRACT_FIELDS.has(word)) return undefined
  return OF_OTHER_TOOLS.get(word) ?? suggest(word, Object.keys(OPERATORS))
}

/**
 * Refuses what would be compared as data although a matcher was meant: an operator with a wrong operand, and an object whose
 * words are all operators, misspelt or of another tool. Also an invalid regular expression, which would never match.
 */
function checkMatchers(expected: unknown, context: z.RefinementCtx, path: PropertyKey[] = []): void {
  if (typeof expected !== 'object' || expected === null) return
  if (isMatcher(expected) && typeof expected.regex === 'string' && !isSearchable(expected.regex)) {
    context.addIssue({ code: 'custom', path: [...path, 'regex'], message: REGEX_RULE })
  }
  if (!Array.isArray(expected)) {
    for (const [name, message] of mistakesIn(expected))
      context.addIssue({ code: 'custom', path: [...path, name], message })
  }
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'equals' && isMatcher(expected)) continue
    checkMatchers(value, context, [...path, Array.isArray(expected) ? Number(name) : name])
  }
}

function mistakesIn(expected: object): [name: string, message: string][] {
  const words = Object.entries(expected).map(([name, operand]) => ({
    name,
    operand,
    operator: operatorNamed(name),
    meant: meantOperator(name),
  }))
  if (words.length === 0 || !words.every(({ operator, meant }) => operator ?? meant)) return []
  // `{ type: card }` names a field, so the other names are fields too.
  if (words.some(({ name, operand }) => name === 'type' && isField(operand))) return []
  return words.flatMap(({ name, operand, operator, meant }): [string, string][] => {
    if (!operator) {
      const data = `{ equals: { ${name}: … } }`
      return [[name, `is not an operator; did you mean ${meant}? As data, write ${data}`]]
    }
    // The value of a placeholder is not known yet.
    const isOpen = typeof operand === 'string' && operand.includes('${')
    const { error } = operator.schema.safeParse(operand)
    if (error === undefined || isOpen) return []
    const [{ message: rule } = { message: '' }] = error.issues
    const guess = name === 'type' ? didYouMean(String(operand), TYPES) : ''
    return [[name, guess === '' ? rule : `${rule}, not ${quoted(operand)}${guess}`]]
  })
}

/** Whether the operand of `type` is a field's value rather than a JSON type, even a misspelled one. */
const isField = (operand: unknown): boolean =>
  typeof operand === 'string' &&
  !operand.includes('${') &&
  !TYPES.some((type) => type === operand) &&
  suggest(operand, TYPES) === undefined
