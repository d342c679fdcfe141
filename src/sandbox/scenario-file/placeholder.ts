/**
 * Placeholders are replaced when a scenario is played: `${name}` by a captured value, with its fields and sums (`${refund.amount
 * - 0.01}`), `${env:NAME}` by an environment variable, `${uuid}` by a new UUID, `${uuid:x}` by the same UUID for each use of x.
 * `$${` is a literal `${`, and `$$${price}` a dollar with a price. Values known to the file itself, such as the item of an
 * `each`, are bound when it is read.
 */

import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import {
  bindText,
  type Expression,
  evaluate,
  insideOf,
  NoValue,
  namesIn,
  readExpression,
} from './expression.ts'

/** `text` is what is between `${` and `}`. */
export type Placeholder = { text: string } & (
  | { kind: 'value'; expression: Expression }
  | { kind: 'env'; name: string }
  | { kind: 'uuid'; name: string | undefined }
)

/**
 * Two dollars before a `{` stand for one; a remaining dollar starts a placeholder. Matching starts at the first dollar: starting
 * at each one, a text of 100,000 dollars would take seconds.
 */
const PATTERN = /(?<!\$)(\$+)\{(?:([^{}]*)\})?/g
const WHOLE = /^\$\{([^{}]*)\}$/
const NAME = /^[\w-]+$/

/** Parses what is between `${` and `}`; undefined when it is not a placeholder. */
function readPlaceholder(text: string): Placeholder | undefined {
  // Bounded: the parser is recursive, and 30,000 parentheses would exhaust the stack.
  if (text.length > TESTER_LIMITS.placeholderChars.max) return undefined
  const [kind = '', name, ...more] = text.split(':')
  if (name !== undefined) {
    if (more.length > 0 || !NAME.test(name)) return undefined
    return kind === 'uuid' || kind === 'env' ? { text, kind, name } : undefined
  }
  if (kind === 'uuid') return { text, kind, name: undefined }
  const expression = readExpression(text)
  return expression && namesIn(expression).length > 0 ? { text, kind: 'value', expression } : undefined
}

interface FoundPlaceholder {
  path: PropertyKey[]
  /** The text with its braces. */
  text: string
  /** Undefined when it is not valid. */
  placeholder: Placeholder | undefined
}

/** The text of a placeholder, with its braces. */
export const placeholderText = ({ text }: Placeholder): string => `\${${text}}`

/** Whether it takes a value from the request that a behavior answers. It is filled in then, and left unchanged before. */
export const takesFromRequest = (placeholder: Placeholder): placeholder is Placeholder & { kind: 'value' } =>
  placeholder.kind === 'value' && namesIn(placeholder.expression).includes('request')

/** The words after `request.`, such as `${request.json.amount}` in a response. */
export const REQUEST_WORDS = ['id', 'time', 'method', 'path', 'query', 'header', 'key', 'json'] as const

/** Every placeholder in a value, at any depth. */
export function placeholdersIn(value: unknown, path: PropertyKey[] = []): FoundPlaceholder[] {
  if (typeof value === 'string') {
    return [...value.matchAll(PATTERN)]
      .filter(([, dollars, inside]) => isOdd(dollars) && inside !== undefined)
      .map(([, , inside = '']) => ({ path, text: `\${${inside}}`, placeholder: readPlaceholder(inside) }))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    placeholdersIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

export type Resolve = (placeholder: Placeholder) => unknown

/** Replaces the placeholders in a value. A text that is only a placeholder becomes the value itself, which may be a number. */
export function fill<Value>(value: Value, resolve: Resolve): Value {
  return mapTexts(value, (text) => {
    const [whole, inside] = WHOLE.exec(text) ?? []
    return whole === undefined ? fillText(text, resolve) : resolved(inside ?? '', resolve)
  }) as Value
}

/** The value with each of its texts changed, at any depth. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: PropertyKey[]) => unknown,
  path: PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, change, [...path, index]))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change, [...path, name])]),
  )
}

/** Writes a value into a text; `before` is the text in front of it. */
type Write = (value: string, before: string) => string

/** Replaces the placeholders in a text; `write` encodes each value, for example for a URL. */
export function fillText(text: string, resolve: Resolve, write: Write = String): string {
  return replaceEach(text, (inside, before) => write(textOf(resolved(inside, resolve)), before), 'unescaped')
}

/** An inserted text that is itself a placeholder is replaced later: the dollars before it stay until then. */
function replaceEach(
  text: string,
  textFor: (inside: string, before: string) => string,
  literals: 'unescaped' | 'escaped',
): string {
  return text.replace(PATTERN, (whole, dollars: string, inside: string | undefined, at: number) => {
    const unescaped = '$'.repeat(Math.floor(dollars.length / 2))
    if (!isOdd(dollars)) return literals === 'escaped' ? whole : unescaped + whole.slice(dollars.length)
    if (inside === undefined) return whole
    const put = textFor(inside, text.slice(0, at))
    return (put.includes('${') ? dollars.slice(1) : unescaped) + put
  })
}

const isOdd = (dollars = '') => dollars.length % 2 === 1

/**
 * In a `call`, a value right after the method is a whole path, such as a captured Location; elsewhere it is
 * one segment.
 */
export const writeInCall: Write = (value, before) =>
  /^[A-Z]+ $/.test(before) ? value : encodeURIComponent(value)

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function resolved(inside: string, resolve: Resolve): unknown {
  const placeholder = readPlaceholder(inside)
  if (placeholder === undefined) throw new Error(`\${${inside}} is not a placeholder`)
  try {
    return resolve(placeholder)
  } catch (error) {
    throw error instanceof NoValue ? new Error(`\${${inside}} has no value: ${error.message}`) : error
  }
}

// Values that are known when the file is read

/** Values by name. A value may be a text with placeholders, which are replaced when the scenario is played. */
export type KnownValues = ReadonlyMap<string, unknown>

/**
 * Replaces the known names in a value at a path, and leaves all other placeholders. `report` is called for a missing field.
 */
export function bind(
  value: unknown,
  at: PropertyKey[],
  known: KnownValues,
  report: (path: PropertyKey[], predicate: string) => void,
): unknown {
  if (known.size === 0) return value
  return mapTexts(
    value,
    (text, path) => {
      const bindOne = (inside: string): unknown => {
        const written = `\${${inside}}`
        try {
          return boundPlaceholder(inside, written, known)
        } catch (error) {
          if (!(error instanceof NoValue)) throw error
          report(path, `has ${written}, but ${error.message}`)
          return written
        }
      }
      const only = WHOLE.exec(text)?.[1]
      const write: Write = path.at(-1) === 'call' ? boundInCall : String
      const bound =
        only === undefined
          ? replaceEach(text, (inside, before) => write(textOf(bindOne(inside)), before), 'escaped')
          : bindOne(only)
      if (typeof bound !== 'string' || bound.length <= BOUND_MAX_CHARS) return bound
      report(path, `has more than ${BOUND_MAX_CHARS} characters with its values`)
      return text
    },
    at,
  )
}

/** Setups that use each other could double a text again and again. */
const BOUND_MAX_CHARS = 100_000

const boundInCall: Write = (text, before) => (text.includes('${') ? text : writeInCall(text, before))

function boundPlaceholder(inside: string, written: string, known: KnownValues): unknown {
  const placeholder = readPlaceholder(inside)
  const names = placeholder?.kind === 'value' ? namesIn(placeholder.expression) : []
  if (placeholder?.kind !== 'value' || !names.some((name) => known.has(name))) return written
  const { expression } = placeholder
  if (expression.kind === 'path' && expression.fields.length === 0) return known.get(expression.name)
  const isOpen = names.some((name) => !known.has(name) || insideOf(known.get(name)) !== undefined)
  return isOpen ? `\${${bindText(inside, known)}}` : evaluate(expression, (name) => known.get(name))
}
