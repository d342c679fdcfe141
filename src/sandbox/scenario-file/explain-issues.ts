/** Turns zod's issues into sentences for the person who wrote the file. */
import type { z } from 'zod'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
import { quoted, shortened } from '../../spec/contract/shortened.ts'
import { didYouMean, suggest } from '../../spec/contract/suggest.ts'
import { innermost } from '../../spec/options/read.ts'
import { type FileProblem, MAX_PROBLEMS } from './file-problem.ts'

type Issue = z.core.$ZodIssue
type JsonSchema = Record<string, unknown>

/**
 * The first problems, in the order of the issues; one issue may give several. The schema says which keys
 * exist where.
 */
export function explainIssues(
  issues: readonly Issue[],
  file: unknown,
  schema: () => JsonSchema,
): FileProblem[] {
  const explainer = new IssueExplainer(file, keptOrMade(madeSchemas, schema, schema))
  return issues
    .slice(0, MAX_PROBLEMS)
    .flatMap((issue) => explainer.explain(issue, issue.path))
    .slice(0, MAX_PROBLEMS)
}

/** Kept: making one takes 20 ms, in which a simulator answers no request. */
const madeSchemas = new WeakMap<() => JsonSchema, JsonSchema>()

class IssueExplainer {
  readonly #schema: JsonSchema
  readonly #file: unknown

  constructor(file: unknown, schema: JsonSchema) {
    this.#file = file
    this.#schema = schema
  }

  explain(issue: Issue, path: PropertyKey[]): FileProblem[] {
    if (issue.code === 'unrecognized_keys') return this.#unknownKeys(issue.keys, path)
    if (issue.code === 'invalid_union' && issue.message === 'Invalid input') {
      return this.#union(issue.errors, path)
    }
    const inner = innermost({ ...issue, path }, this.#file)
    if (inner.path.length > path.length) return this.explain(inner, inner.path)
    if (issue.code === 'invalid_key') {
      return [{ path, of: 'key', predicate: issue.issues[0]?.message ?? issue.message }]
    }
    const value = valueAt(this.#file, path)
    if (value === undefined && path.length > 0) {
      return [
        { path, of: 'value', predicate: isOwnRule(issue) ? `is missing: it ${issue.message}` : 'is missing' },
      ]
    }
    return [{ path, of: 'value', predicate: rule(issue, value, () => this.#exampleAt(path)) }]
  }

  /** The content of an object or list at a path, for a message: the schema's example, or else its keys. */
  #exampleAt(path: PropertyKey[]): string {
    const shapes = this.#shapesAt(path)
    const [example] = shapes.flatMap(({ examples }) => (Array.isArray(examples) ? examples : []))
    if (example !== undefined) return ` such as ${inYaml(example)}`
    const required = new Set(shapes.flatMap((shape) => requiredOf(shape).slice(0, 1)))
    if (shapes.length > 1 && required.size > 1) return ` with one of ${[...required].join(', ')}`
    const keys = shapes.flatMap(keysOf)
    return keys.length === 0
      ? ''
      : ` with ${keys.slice(0, KEYS_SHOWN_MAX).join(', ')}${keys.length > KEYS_SHOWN_MAX ? ' and more' : ''}`
  }

  /** Explains a value that fits no form of a union, by the form that its author most likely meant. */
  #union(all: readonly Issue[][], path: PropertyKey[]): FileProblem[] {
    const value = valueAt(this.#file, path)
    const ofThisType = all.filter((issues) => !issues.some((issue) => isOtherType(issue, value)))
    const forms = (ofThisType.length > 0 ? ofThisType : all).map((issues) => ({
      issues,
      missing: missingIn(issues, value),
    }))
    const explained = (issues: readonly Issue[]) =>
      issues.flatMap((issue) => this.explain(issue, [...path, ...issue.path]))

    // All its required keys are there, and it has the fewest mistakes.
    const [closest] = forms
      .filter(({ missing }) => missing.length === 0)
      .sort((one, other) => badness(one.issues) - badness(other.issues))
    if (closest) return explained(closest.issues)

    // A required key may be there, but misspelt.
    const known = this.#keysAt(path)
    const misspelt = isObject(value)
      ? Object.keys(value).filter((key) => !known.has(key) && suggest(key, known) !== undefined)
      : []
    if (misspelt.length > 0) return this.#unknownKeys(misspelt, path)

    // It is the only form of which a required key is there.
    const begun = this.#shapesAt(path).filter((shape) => requiredOf(shape).some((key) => has(value, key)))
    if (begun.length === 1) {
      const left = requiredOf(begun[0]!).filter((key) => !has(value, key))
      const meant = forms.find(({ missing }) => missing.join() === left.join())
      return explained(meant?.issues ?? [])
    }

    const words = [...new Set(forms.flatMap(({ missing: [first = []] }) => first))]
    const list = words.length === 1 ? words[0] : `one of ${words.join(', ')}`
    return [{ path, of: 'value', predicate: `must have ${list}${isObject(value) ? '' : butIs(value)}` }]
  }

  #unknownKeys(keys: readonly string[], path: PropertyKey[]): FileProblem[] {
    return keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => ({ path: [...path, key], of: 'key', predicate: this.#whyUnknown(key, path) }))
  }

  /** The key may be known in another form of the same union. */
  #whyUnknown(key: string, path: PropertyKey[]): string {
    const meant = meantOf(this.#shapesAt(path), valueAt(this.#file, path))
    const here = new Set(meant.flatMap(keysOf))
    const anywhere = this.#keysAt(path)
    if (anywhere.has(key)) {
      const [word] = meant.flatMap(requiredOf)
      return word === undefined ? 'does not go here' : `does not go with ${word}`
    }
    const guess = didYouMean(key, here) || didYouMean(key, anywhere)
    // `here` is empty where the value has the required keys of no form: then the keys of all forms are known.
    const known = here.size === 0 ? anywhere : here
    return `is unknown${guess || `; known here: ${[...known].join(', ')}`}`
  }

  #keysAt(path: readonly PropertyKey[]): Set<string> {
    return new Set(this.#shapesAt(path).flatMap(keysOf))
  }

  /** The JSON Schemas for the value at a path; several if it may have one of several forms. */
  #shapesAt(path: readonly PropertyKey[]): JsonSchema[] {
    return path.reduce<JsonSchema[]>((shapes, step, depth) => {
      const meant = meantOf(shapes, valueAt(this.#file, path.slice(0, depth)))
      return (meant.length > 0 ? meant : shapes).flatMap((shape) => {
        const inner =
          typeof step === 'number'
            ? shape.items
            : ((shape.properties as JsonSchema | undefined)?.[String(step)] ?? shape.additionalProperties)
        return this.#formsOf(inner)
      })
    }, this.#formsOf(this.#schema))
  }

  #formsOf(shape: unknown): JsonSchema[] {
    if (!isObject(shape)) return []
    if (typeof shape.$ref === 'string') {
      const name = shape.$ref.slice('#/definitions/'.length)
      return this.#formsOf((this.#schema.definitions as JsonSchema | undefined)?.[name])
    }
    const several = shape.anyOf ?? shape.allOf
    return Array.isArray(several) ? several.flatMap((one) => this.#formsOf(one)) : [shape]
  }
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

/** With more keys than this, a message lists only these. */
const KEYS_SHOWN_MAX = 8

const inYaml = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`
  if (!isObject(value)) return String(value)
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${inYaml(one)}`)
    .join(', ')} }`
}

const hasOwnMessage = ({ message }: Issue): boolean =>
  !message.startsWith('Invalid') && !message.startsWith('Too ')

const isOwnRule = (issue: Issue): boolean => hasOwnMessage(issue) && issue.message.startsWith('must be')

function rule(issue: Issue, value: unknown, example: () => string): string {
  if (hasOwnMessage(issue)) return issue.message + ownEnding(issue, value)
  if (issue.code === 'invalid_type') {
    const type = TYPE_NAMES[issue.expected] ?? issue.expected
    const isMadeOfParts = ['array', 'object', 'record'].includes(issue.expected)
    return `must be ${type}${isMadeOfParts ? example() : ''}${butIs(value)}`
  }
  if (issue.code === 'invalid_value') {
    const words = issue.values.map(String)
    const given = shortened(String(value))
    const near = sameGroup(given, words)
    const list = words.length === 1 ? words[0] : `one of ${words.join(', ')}`
    return `must be ${near.length > 0 ? `one like ${near.join(', ')}` : list}${butIs(value)}${didYouMean(given, words)}`
  }
  if (issue.code === 'too_small') return bound(issue.origin, `at least ${issue.minimum}`, value)
  if (issue.code === 'too_big') return bound(issue.origin, `at most ${issue.maximum}`, value)
  return issue.message
}

/**
 * Shortens a long list of names such as `refund.created` for a message: the names of the group that was
 * probably meant, or else one of each group. Empty for a short list, or one without groups.
 */
function sameGroup(given: string, words: readonly string[]): string[] {
  if (words.length <= KEYS_SHOWN_MAX) return []
  const groupOf = (word: string) => word.split('.', 1)[0]!
  const groups = new Set(words.filter((word) => word.includes('.')).map(groupOf))
  const group = groups.has(groupOf(given)) ? groupOf(given) : suggest(groupOf(given), groups)
  if (group === undefined) return [...groups].map((one) => words.find((word) => groupOf(word) === one)!)
  return words.filter((word) => word.includes('.') && groupOf(word) === group)
}

function ownEnding({ code, message, ...issue }: Issue, value: unknown): string {
  if (!message.startsWith('must be') || message.includes('did you mean')) return ''
  const words = code === 'invalid_value' && 'values' in issue ? issue.values.map(String) : []
  const isPlain = typeof value !== 'object' || value === null
  return `${isPlain ? butIs(value) : `, not ${shortened(JSON.stringify(value))}`}${didYouMean(String(value), words)}`
}

function bound(origin: string, limit: string, value: unknown): string {
  if (origin === 'array') return `must have ${limit} ${limit.endsWith(' 1') ? 'item' : 'items'}`
  return `must ${origin === 'string' ? 'have a length of' : 'be'} ${limit}${butIs(value)}`
}

/** The end of a message: the wrong value. */
function butIs(value: unknown): string {
  if (Array.isArray(value)) return ', not a list'
  if (isObject(value)) return ', not an object'
  return `, not ${quoted(value)}`
}

// An object of one of several forms

/** The required keys of a form that the value does not have. */
function missingIn(issues: readonly Issue[], value: unknown): string[] {
  return issues.flatMap((issue) => {
    const [key] = issue.path
    return issue.path.length === 1 && isObject(value) && value[String(key)] === undefined ? [String(key)] : []
  })
}

/**
 * Whether a form is of another type than the value, so that the author did not mean it: an object does not
 * stand for a word.
 */
const isOtherType = ({ code, path }: Issue, value: unknown): boolean =>
  path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && isObject(value)))

/** How badly a form fits: an unknown key counts more than wrong values. */
const badness = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 100 * issue.keys.length : 1), 0)

/** The forms whose required keys are all there. */
const meantOf = (shapes: readonly JsonSchema[], value: unknown): JsonSchema[] =>
  shapes.filter((shape) => requiredOf(shape).every((key) => has(value, key)))

const has = (value: unknown, key: string): boolean => isObject(value) && value[key] !== undefined

const keysOf = (shape: JsonSchema): string[] =>
  Object.keys((shape.properties as JsonSchema | undefined) ?? {})
const requiredOf = (shape: JsonSchema): string[] => (shape.required as string[] | undefined) ?? []
