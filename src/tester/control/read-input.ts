/** Checks a tester's input against its row; an error is one sentence that names the field. */
import type { z } from 'zod'
import { invalidField, invalidParameter, malformedJson, missingField } from '../../spec/contract/errors.ts'
import { JSON_MAX_DEPTH } from '../../spec/contract/limits.ts'
import { isTooDeep, valueAt } from '../../spec/contract/parsed-json.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { guessFor, isOption, keysAt, wrongOption } from '../../spec/options/read.ts'

/** The JSON as sent; an empty body counts as an empty object. */
export function readBody(schema: z.ZodType, bytes: Uint8Array): unknown {
  const given = bytes.length === 0 ? {} : parseJson(Buffer.from(bytes).toString('utf8'))
  requireShape(schema, given)
  return given
}

/** Deeper values could exhaust the stack of their readers, as under `/v1` (D17). */
export function requireShape<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  if (isTooDeep(given)) throw invalidField('body', `must not be nested deeper than ${JSON_MAX_DEPTH}`)
  const result = schema.safeParse(given)
  if (!result.success) throw wrongField(schema, result.error.issues[0]!, given)
  return result.data
}

export const readQuery = (schema: z.ZodObject, query: URLSearchParams): unknown =>
  readParameters(
    schema,
    Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.get(name)])),
  )

/** Checks the parameters of a verb: over HTTP from the query, in code from an object. */
export function readParameters<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  if (issue.code === 'unrecognized_keys')
    throw invalidParameter(issue.keys[0]!, `is unknown here${didYouMean(issue.keys[0]!, keysAt(schema, []))}`)
  const name = issue.path.join('.')
  if (name === '') throw invalidParameter('what is asked for', 'must be an object')
  throw invalidParameter(name, ruleOf(issue) + guessFor(issue, valueAt(given, issue.path)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedJson()
  }
}

function wrongField(schema: z.ZodType, issue: z.core.$ZodIssue, given: unknown): Error {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys' && hasOptions(schema, issue.path))
    return wrongOption(schema, issue, given)
  if (issue.code === 'unrecognized_keys')
    return invalidField(
      [...issue.path, issue.keys[0]].join('.'),
      `is unknown here${didYouMean(issue.keys[0]!, keysAt(schema, issue.path))}`,
    )
  if (path === '') return invalidField('body', ruleOf(issue))
  const isMissing = issue.code !== 'invalid_key' && valueAt(given, issue.path) === undefined
  if (isMissing) return missingField(path)
  // An option is refused in the same words in code and over HTTP.
  return isOption(schema, issue.path)
    ? wrongOption(schema, issue, given)
    : invalidField(path, ruleOf(issue) + guessFor(issue, valueAt(given, issue.path)))
}

const hasOptions = (schema: z.ZodType, path: readonly PropertyKey[]): boolean =>
  keysAt(schema, path).some((key) => isOption(schema, [...path, key]))

/** Messages that are whole sentences are used as they are; zod's own are rewritten to match. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (!issue.message.startsWith('Invalid') && !issue.message.startsWith('Too ')) return issue.message
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected.replace('record', 'object')}`
  return 'is not what it must be'
}
