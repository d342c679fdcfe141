/** Turns zod's issues into sentences for the person who wrote the file. */
import type { z } from 'zod'
import { quoted, shortened } from '../contract/shortened.ts'
import { type FileProblem, problemSentence } from './file-problem.ts'
import { scenarioJsonSchema } from './format.ts'
import { isObject } from './matcher.ts'
import { didYouMean, suggest } from './suggest.ts'

type Issue = z.core.$ZodIssue

/** One problem or more for each issue, in the order of the issues. */
export function explainIssues(issues: readonly Issue[], file: unknown): FileProblem[] {
  return issues.flatMap((issue) => explainOne(issue, issue.path, file))
}

function explainOne(issue: Issue, path: PropertyKey[], file: unknown): FileProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      of: 'key',
      message: unknownKey(key, path, file),
    }))
  }
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') {
    return explainUnion(issue.errors, path, file)
  }
  if (issue.code === 'invalid_key') {
    return [{ path, of: 'key', message: problemSentence(path, issue.issues[0]?.message ?? issue.message) }]
  }
  const value = valueAt(file, path)
  if (value === undefined && path.length > 0) {
    return [{ path: path.slice(0, -1), of: 'value', message: problemSentence(path, 'is missing') }]
  }
  return [{ path, of: 'value', message: problemSentence(path, rule(issue, value)) }]
}

// A wrong value

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function rule(issue: Issue, value: unknown): string {
  const hasOwnMessage = !issue.message.startsWith('Invalid') && !issue.message.startsWith('Too ')
  if (hasOwnMessage) return issue.message + (issue.message.startsWith('must be') ? butIs(value) : '')
  if (issue.code === 'invalid_type')
    return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}${butIs(value)}`
  if (issue.code === 'invalid_value') {
    const words = issue.values.map(String)
    const meant = didYouMean(shortened(String(value)), words)
    const list = words.length === 1 ? words[0] : `one of ${words.join(', ')}`
    return `must be ${list}${butIs(value)}${meant}`
  }
  if (issue.code === 'too_small') return `must ${have(issue.origin)} at least ${issue.minimum}${butIs(value)}`
  if (issue.code === 'too_big') return `must ${have(issue.origin)} at most ${issue.maximum}${butIs(value)}`
  return issue.message
}

const have = (origin: string) =>
  origin === 'array' ? 'have a number of items of' : origin === 'string' ? 'have a length of' : 'be'

/** The value that is there instead. */
function butIs(value: unknown): string {
  if (Array.isArray(value)) return ', not a list'
  if (isObject(value)) return ', not an object'
  return `, not ${quoted(value)}`
}

// An object of one of several forms

/**
 * The form that was meant is the one whose required keys are there. If there is none, either a key is misspelt or the
 * required keys of all forms are listed.
 */
function explainUnion(forms: readonly Issue[][], path: PropertyKey[], file: unknown): FileProblem[] {
  const value = valueAt(file, path)
  const missing = forms.map((issues) => missingIn(issues, value))
  const closest = forms
    .filter((_, index) => missing[index]?.length === 0)
    .sort((one, other) => badness(one) - badness(other))[0]
  if (closest !== undefined) {
    return closest.flatMap((issue) => explainOne(issue, [...path, ...issue.path], file))
  }
  const words = [...new Set(missing.flat())]
  const known = keysAt(path)
  const unknown = isObject(value) ? Object.keys(value).filter((key) => !known.has(key)) : []
  const misspelt = unknown.filter((key) => suggest(key, known) !== undefined)
  if (misspelt.length > 0) {
    return misspelt.map((key) => ({ path: [...path, key], of: 'key', message: unknownKey(key, path, file) }))
  }
  const list = words.length === 1 ? words[0] : `one of ${words.join(', ')}`
  return [
    {
      path,
      of: 'value',
      message: problemSentence(path, `must have ${list}${isObject(value) ? '' : butIs(value)}`),
    },
  ]
}

/** The required keys of a form that the value does not have. */
function missingIn(issues: readonly Issue[], value: unknown): string[] {
  return issues.flatMap((issue) => {
    const [key] = issue.path
    return issue.path.length === 1 && isObject(value) && value[String(key)] === undefined ? [String(key)] : []
  })
}

/** An unknown key is a stronger sign of another form than a wrong value. */
const badness = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 100 * issue.keys.length : 1), 0)

// An unknown key

type Shape = Record<string, unknown>

let schema: Shape | undefined

function unknownKey(key: string, path: PropertyKey[], file: unknown): string {
  const shapes = shapesAt(path)
  const value = valueAt(file, path)
  const meant = shapes.filter((shape) => requiredOf(shape).every((one) => isObject(value) && one in value))
  const known = new Set(meant.flatMap(keysOf))
  const word = meant.flatMap(requiredOf)[0]
  const keyPath = [...path, key]
  if (keysAt(path).has(key))
    return problemSentence(keyPath, word === undefined ? 'does not go here' : `does not go with ${word}`)
  const guess = didYouMean(key, known) || didYouMean(key, keysAt(path))
  return problemSentence(keyPath, `is unknown${guess || `; known here: ${[...known].join(', ')}`}`)
}

const keysAt = (path: readonly PropertyKey[]): Set<string> => new Set(shapesAt(path).flatMap(keysOf))
const keysOf = (shape: Shape): string[] => Object.keys((shape.properties as Shape | undefined) ?? {})
const requiredOf = (shape: Shape): string[] => (shape.required as string[] | undefined) ?? []

/** The JSON Schemas that describe the value at a path; several where it may have one of several forms. */
function shapesAt(path: readonly PropertyKey[]): Shape[] {
  schema ??= scenarioJsonSchema()
  return path.reduce<Shape[]>(
    (shapes, step) =>
      shapes.flatMap((shape) => {
        const inner =
          typeof step === 'number'
            ? shape.items
            : ((shape.properties as Shape | undefined)?.[String(step)] ?? shape.additionalProperties)
        return formsOf(inner)
      }),
    formsOf(schema),
  )
}

function formsOf(shape: unknown): Shape[] {
  if (!isObject(shape)) return []
  if (typeof shape.$ref === 'string') {
    const name = shape.$ref.slice('#/definitions/'.length)
    return formsOf((schema?.definitions as Shape | undefined)?.[name])
  }
  const several = shape.anyOf ?? shape.allOf
  return Array.isArray(several) ? several.flatMap(formsOf) : [shape]
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<PropertyKey, unknown>)[step]
  }
  return here
}
