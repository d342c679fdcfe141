/** Parses a value by a schema, and turns zod's issues into sentences for its author. */
import { z } from 'zod'
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
import { quoted, shortened } from '../../spec/contract/shortened.ts'
import { didYouMean, suggest } from '../../spec/contract/suggest.ts'
import { innermost } from '../../spec/options/read.ts'
import { type FileProblem, MAX_PROBLEMS } from './file-problem.ts'

type Issue = z.core.$ZodIssue

/** The parsed value; if it does not fit, the first problems, in the order of the issues. */
export function readBySchema<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  options: { jitless?: boolean } = {},
): { data: z.output<Schema> | undefined; problems: FileProblem[] } {
  const { data, error } = schema.safeParse(given, options)
  const problems = error?.issues
    .slice(0, MAX_PROBLEMS)
    .flatMap((issue) => explain(issue, issue.path, { schema, given }))
  return { data, problems: problems?.slice(0, MAX_PROBLEMS) ?? [] }
}

interface Reading {
  schema: z.core.$ZodType
  given: unknown
}

function explain(issue: Issue, path: PropertyKey[], reading: Reading): FileProblem[] {
  const value = valueAt(reading.given, path)
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, path, reading)
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input')
    return explainUnion(issue.errors, path, reading)
  const inner = innermost({ ...issue, path }, reading.given)
  if (inner.path.length > path.length) return explain(inner, inner.path, reading)
  if (issue.code === 'invalid_key') {
    return [{ path, of: 'key', predicate: issue.issues[0]?.message ?? issue.message }]
  }
  const isMissing = value === undefined && path.length > 0
  const predicate = isMissing
    ? `is missing${isOwnRule(issue) ? `: it ${issue.message}` : ''}`
    : rule(issue, value, () => contentAt(path, reading))
  return [{ path, of: 'value', predicate }]
}

// What the schema allows at a path

type Form = Readonly<Record<string, z.core.$ZodType>>

/** The keys of an object. `steps` of a `use` are added by the expansion, so its author cannot write them. */
const formOf = ({ shape: { steps, ...form } }: z.ZodObject): Form =>
  steps === undefined || form.use !== undefined ? form : { ...form, steps }

/** The schemas inside unions, optional values and other wrappers. */
function alternatives(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(alternatives)
  if (schema instanceof z.ZodPipe) return alternatives(schema.in)
  const isWrapper =
    schema instanceof z.ZodLazy || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapper ? alternatives(schema.unwrap()) : [schema]
}

/** The schemas of a value; several for alternative forms. */
const schemasAt = (path: readonly PropertyKey[], { schema, given }: Reading): z.core.$ZodType[] =>
  path.reduce<z.core.$ZodType[]>(
    (schemas, step, depth) => {
      const forms = schemas.flatMap(alternatives)
      const isMeant = meantBy(valueAt(given, path.slice(0, depth)))
      const meant = forms.filter((form) => form instanceof z.ZodObject && isMeant(formOf(form)))
      return (meant.length > 0 ? meant : forms).flatMap((form): z.core.$ZodType[] => {
        if (form instanceof z.ZodObject) return form.shape[String(step)] ?? form.def.catchall ?? []
        if (form instanceof z.ZodArray) return [form.element]
        return form instanceof z.ZodRecord ? [form.valueType] : []
      })
    },
    [schema],
  )

/** The objects among the forms of the value at a path. */
const formsAt = (path: readonly PropertyKey[], reading: Reading): Form[] =>
  schemasAt(path, reading)
    .flatMap(alternatives)
    .flatMap((schema) => (schema instanceof z.ZodObject ? [formOf(schema)] : []))

const requiredOf = (form: Form): string[] =>
  Object.keys(form).filter((key) => form[key]?._zod.optin === undefined)

const has = (value: unknown, key: string): boolean => isObject(value) && value[key] !== undefined

const keysOf = (forms: readonly Form[]) => new Set(forms.flatMap(Object.keys))

/** Whether a value has all the keys that a form requires. */
const meantBy =
  (value: unknown) =>
  (form: Form): boolean =>
    requiredOf(form).every((key) => has(value, key))

// An object with several forms

/** Explains a value that fits no form, by the form that its author most likely meant. */
function explainUnion(all: readonly Issue[][], path: PropertyKey[], reading: Reading): FileProblem[] {
  const forms = formsAt(path, reading)
  const value = valueAt(reading.given, path)
  const ofThisType = all.filter((issues) => !issues.some((issue) => isOtherType(issue, value)))
  const tried = (ofThisType.length > 0 ? ofThisType : all).map((issues) => ({
    issues,
    missing: missingIn(issues, value),
  }))
  const explained = (issues: readonly Issue[] = []) =>
    issues.flatMap((issue) => explain(issue, [...path, ...issue.path], reading))

  // It is the first with all required keys.
  const complete = tried.find(({ missing }) => missing.length === 0)
  if (complete) return explained(complete.issues)

  // A required key may be present but misspelled.
  const known = keysOf(forms)
  const misspelt = isObject(value)
    ? Object.keys(value).filter((key) => !known.has(key) && suggest(key, known) !== undefined)
    : []
  if (misspelt.length > 0) return unknownKeys(misspelt, path, reading)

  // It is the only form with one of its required keys.
  const [begun, another] = forms.filter((form) => requiredOf(form).some((key) => has(value, key)))
  if (begun && !another) {
    const left = requiredOf(begun).filter((key) => !has(value, key))
    return explained(tried.find(({ missing }) => missing.join() === left.join())?.issues)
  }

  const words = [...new Set(tried.flatMap(({ missing: [first = []] }) => first))]
  const list = words.length === 1 ? words[0] : `one of ${words.join(', ')}`
  return [{ path, of: 'value', predicate: `must have ${list}${isObject(value) ? '' : butIs(value)}` }]
}

/** The required keys of a form that the value lacks. */
const missingIn = (issues: readonly Issue[], value: unknown): string[] =>
  issues
    .filter(({ path }) => path.length === 1 && isObject(value) && !has(value, String(path[0])))
    .map(({ path }) => String(path[0]))

/** Whether a form's type differs from the value's, so that the author cannot have meant it: an object never means a word. */
const isOtherType = ({ code, path }: Issue, value: unknown): boolean =>
  path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && isObject(value)))

function unknownKeys(keys: readonly string[], path: PropertyKey[], reading: Reading): FileProblem[] {
  const forms = formsAt(path, reading)
  const meant = forms.filter(meantBy(valueAt(reading.given, path)))
  const [here, anywhere] = [keysOf(meant), keysOf(forms)]
  const [word] = meant.flatMap(requiredOf)
  const why = (key: string): string => {
    if (anywhere.has(key))
      return word === undefined ? 'is not allowed here' : `cannot be combined with ${word}`
    // A value without any form's required keys may be meant as any of them.
    const known = [...(here.size === 0 ? anywhere : here)].join(', ')
    return `is unknown${didYouMean(key, here) || didYouMean(key, anywhere) || `; known here: ${known}`}`
  }
  return keys.slice(0, MAX_PROBLEMS).map((key) => ({ path: [...path, key], of: 'key', predicate: why(key) }))
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

/** With more words than this, a message lists only these. */
const SHOWN_MAX = 8

/** The content of an object or list: the schema's example, or else its keys. */
function contentAt(path: PropertyKey[], reading: Reading): string {
  const schemas = schemasAt(path, reading)
  const [example] = [...schemas, ...schemas.flatMap(alternatives)].flatMap(examplesOf)
  if (example !== undefined) return ` such as ${inYaml(example)}`
  const forms = formsAt(path, reading)
  const required = new Set(forms.flatMap((form) => requiredOf(form).slice(0, 1)))
  if (forms.length > 1 && required.size > 1) return ` with one of ${[...required].join(', ')}`
  const keys = [...keysOf(forms)]
  return keys.length === 0 ? '' : ` with ${listed(keys)}`
}

const listed = (words: readonly string[]): string =>
  words.slice(0, SHOWN_MAX).join(', ') + (words.length > SHOWN_MAX ? ' and more' : '')

const examplesOf = (schema: z.core.$ZodType): unknown[] => {
  const { examples } = z.globalRegistry.get(schema) ?? {}
  return Array.isArray(examples) ? examples : []
}

function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${name}: ${inYaml(member)}`)
  return `{ ${members.join(', ')} }`
}

const hasOwnMessage = ({ message }: Issue): boolean =>
  !message.startsWith('Invalid') && !message.startsWith('Too ')

const isOwnRule = (issue: Issue): boolean => hasOwnMessage(issue) && issue.message.startsWith('must be')

function rule(issue: Issue, value: unknown, content: () => string): string {
  const words = issue.code === 'invalid_value' ? issue.values.map(String) : []
  if (hasOwnMessage(issue)) {
    if (!isOwnRule(issue) || issue.message.includes('did you mean')) return issue.message
    const but =
      typeof value === 'object' && value ? `, not ${shortened(JSON.stringify(value))}` : butIs(value)
    return `${issue.message}${but}${didYouMean(String(value), words)}`
  }
  switch (issue.code) {
    case 'invalid_type': {
      const isMadeOfParts = ['array', 'object', 'record'].includes(issue.expected)
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}${isMadeOfParts ? content() : ''}${butIs(value)}`
    }
    case 'invalid_value': {
      const list = words.length === 1 ? words[0] : `one of ${listed(words)}`
      return `must be ${list}${butIs(value)}${didYouMean(shortened(String(value)), words)}`
    }
    case 'too_small':
      return bound(issue.origin, `at least ${issue.minimum}`, value)
    case 'too_big':
      return bound(issue.origin, `at most ${issue.maximum}`, value)
    default:
      return issue.message
  }
}

function bound(origin: string, limit: string, value: unknown): string {
  if (origin === 'array') return `must have ${limit} ${limit.endsWith(' 1') ? 'item' : 'items'}`
  return `must ${origin === 'string' ? 'have a length of' : 'be'} ${limit}${butIs(value)}`
}

/** The end of a message: the wrong value. */
function butIs(value: unknown): string {
  if (Array.isArray(value)) return ', not a list'
  return isObject(value) ? ', not an object' : `, not ${quoted(value)}`
}
