/**
 * The expressions between `${` and `}`: a name, a field of it (`item.amount`, `page.data[0].id`), and sums,
 * differences and products of them. Numbers are amounts of money or counts, so they are calculated in whole
 * cents: 0.1 + 0.2 is 0.3. A text that is such a number counts as one.
 */

import { keysOfPath } from '../../spec/contract/json-text.ts'
import { cents, fromMajor, hasAtMostTwoDecimals } from '../../spec/contract/money.ts'
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'

type Operator = '+' | '-' | '*'

interface PathExpression {
  kind: 'path'
  name: string
  fields: readonly (string | number)[]
}

export type Expression =
  | { kind: 'value'; value: unknown }
  | PathExpression
  | { kind: 'sum'; operator: Operator; left: Expression; right: Expression }

/** Thrown when an expression has no value; the message gives the reason. */
export class NoValue extends Error {}

/** A name with its fields. A name may contain a dash, so a minus needs a space before it. */
const PATH = /[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[\d+\])*/g
const TOKEN = new RegExp(`\\s*(${PATH.source}|\\d+(?:\\.\\d+)?|[()+*-])`, 'y')

/** Undefined when the text is not an expression. */
export function readExpression(text: string): Expression | undefined {
  const tokens: string[] = []
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < text.trimEnd().length) {
    const token = pattern.exec(text)?.[1]
    if (token === undefined) return undefined
    tokens.push(token)
  }
  const expression = readSum(tokens)
  return tokens.length === 0 ? expression : undefined
}

const readSum = (tokens: string[]) => readLevel(tokens, ['+', '-'], readProduct)
const readProduct = (tokens: string[]) => readLevel(tokens, ['*'], readOperand)

function readLevel(
  tokens: string[],
  operators: readonly string[],
  readInner: (tokens: string[]) => Expression | undefined,
): Expression | undefined {
  let left = readInner(tokens)
  while (left !== undefined && operators.includes(tokens[0] ?? '')) {
    const operator = tokens.shift() as Operator
    const right = readInner(tokens)
    left = right && { kind: 'sum', operator, left, right }
  }
  return left
}

function readOperand(tokens: string[]): Expression | undefined {
  const token = tokens.shift() ?? ''
  if (token === '(') {
    const inner = readSum(tokens)
    return tokens.shift() === ')' ? inner : undefined
  }
  const number = token === '-' ? token + (tokens.shift() ?? '') : token
  if (/^-?\d/.test(number)) return { kind: 'value', value: Number(number) }
  if (!/^[A-Za-z_]/.test(token)) return undefined
  const [name, ...fields] = keysOfPath(`.${token}`) as [string, ...(string | number)[]]
  return { kind: 'path', name, fields }
}

/** The names in an expression, with their fields. */
export function pathsIn(expression: Expression): PathExpression[] {
  if (expression.kind === 'path') return [expression]
  return expression.kind === 'sum' ? [...pathsIn(expression.left), ...pathsIn(expression.right)] : []
}

export const namesIn = (expression: Expression): string[] => pathsIn(expression).map(({ name }) => name)

/** The value; throws {@link NoValue} if a field is missing or a value to calculate with is not a number. */
export function evaluate(expression: Expression, lookUp: (name: string) => unknown): unknown {
  switch (expression.kind) {
    case 'value':
      return expression.value
    case 'path':
      return fieldOf(lookUp(expression.name), expression.name, expression.fields)
    case 'sum': {
      const { operator, left, right } = expression
      return calculate(operator, evaluate(left, lookUp), evaluate(right, lookUp))
    }
  }
}

/** Writes known names into the text of an expression whose other names are captured later. */
export function bindText(text: string, known: ReadonlyMap<string, unknown>): string {
  return text.replaceAll(PATH, (path) => {
    const { name, fields } = readOperand([path]) as PathExpression
    if (!known.has(name)) return path
    const value = known.get(name)
    const inner = insideOf(value)
    if (inner === undefined) return String(centsOf(fieldOf(value, name, fields)) / 100)
    if (fields.length === 0) return `(${inner})`
    if (readExpression(inner)?.kind === 'sum')
      throw new NoValue(`${name} is a number, so it has no ${fields[0]}`)
    return inner + path.slice(name.length)
  })
}

/** The expression in a value that is only `${expression}`: it has no value before the file is played. */
export function insideOf(value: unknown): string | undefined {
  const inner = typeof value === 'string' ? /^\$\{([^{}:]*)\}$/.exec(value)?.[1] : undefined
  return inner === 'uuid' ? undefined : inner
}

function fieldOf(value: unknown, name: string, fields: readonly (string | number)[]): unknown {
  let here = value
  let path = name
  for (const field of fields) {
    const inner = Array.isArray(here) ? here[Number(field)] : valueAt(here, [field])
    if (inner === undefined) {
      const known = isObject(here) ? Object.keys(here) : []
      throw new NoValue(`${path} has no ${field}${didYouMean(String(field), known)}`)
    }
    here = inner
    path += typeof field === 'number' ? `[${field}]` : `.${field}`
  }
  return here
}

function calculate(operator: Operator, left: unknown, right: unknown): number {
  const [first, second] = [centsOf(left), centsOf(right)]
  const result =
    operator === '+' ? first + second : operator === '-' ? first - second : (first * second) / 100
  if (!Number.isSafeInteger(result)) {
    const why = Number.isInteger(result) ? 'is too large' : 'has more than two decimals'
    throw new NoValue(`${show(left)} ${operator} ${show(right)} ${why}`)
  }
  return cents(result) / 100
}

function centsOf(given: unknown): number {
  // A header or a part of a message is text, such as the seconds of a Retry-After.
  const value = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given
  if (typeof value !== 'number') throw new NoValue(`${show(value)} is not a number`)
  if (!hasAtMostTwoDecimals(value)) throw new NoValue(`${show(value)} has more than two decimals`)
  return fromMajor(value)
}

const show = (value: unknown) => JSON.stringify(value) ?? 'nothing'
