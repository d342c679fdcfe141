/**
 * Reads behaviors that a tester gives in code or over HTTP: one, a list, `{ behaviors }` or a scenario. A
 * duration is a text, as in a file, or milliseconds.
 */
import { z } from 'zod'
import { formatDuration } from '../../spec/contract/duration.ts'
import { malformedBehavior } from '../../spec/contract/errors.ts'
import { SCENARIO_MAX_DEPTH } from '../../spec/contract/limits.ts'
import { isObject, isTooDeep } from '../../spec/contract/parsed-json.ts'
import { suggest } from '../../spec/contract/suggest.ts'
import { Behavior } from './behavior.ts'
import { readBySchema } from './explain-issues.ts'
import { type FileProblem, MAX_PROBLEMS, problemSentence, TOO_DEEP } from './file-problem.ts'
import { Scenario } from './format.ts'
import { checkReferences } from './references.ts'

/** A scenario; only its behaviors are read. */
const Handed = z.strictObject({
  ...Object.fromEntries([...Object.keys(Scenario.shape), 'case'].map((key) => [key, z.unknown().optional()])),
  behaviors: Scenario.shape.behaviors,
})

const FORM_RULE = 'must be a behavior, a list of behaviors, { behaviors } or a scenario'

/** The behaviors in the form of a file, as they were given otherwise. Throws one refusal that lists every mistake. */
export function writtenBehaviors(given: unknown): z.input<typeof Behavior>[] {
  const { written, problems } = behaviorsIn(given)
  if (problems.length === 0) return written
  throw malformedBehavior(problems.map(({ message }) => message).join('\n'))
}

/** The behaviors of a tester's input, and its problems, whose paths start at the input. */
export function behaviorsIn(given: unknown) {
  const whole = (message: string) => ({
    written: [],
    problems: [{ path: [], of: 'value' as const, message }],
  })
  if (typeof given !== 'object' || given === null) return whole(FORM_RULE)
  const { scenario, added } = asScenario(given)
  if (isTooDeep(scenario, SCENARIO_MAX_DEPTH)) return whole(TOO_DEEP)
  const written = durationsAsWritten(Handed, scenario) as z.input<typeof Handed>
  const { problems } = readBySchema(Handed, written)
  const places = new Set(problems.map(placeOf))
  // Without its steps, which are not played and may not be expanded. One problem is enough for a value.
  problems.push(
    ...checkReferences({ ...written, steps: [] }).filter((problem) => !places.has(placeOf(problem))),
  )
  const prefix = added.length === 2 ? /^behaviors\[0\]\.?/ : /^/
  return {
    written: written.behaviors ?? [],
    problems: problems.slice(0, MAX_PROBLEMS).map((problem) => ({
      path: problem.path.slice(added.length),
      of: problem.of,
      message: problemSentence(problem).replace(prefix, ''),
    })),
  }
}

const placeOf = ({ path }: FileProblem) => JSON.stringify(path)

/** Wraps the input into a scenario; `added` is the path of the input in it. */
function asScenario(given: object): { scenario: object; added: PropertyKey[] } {
  if (Array.isArray(given)) return { scenario: { behaviors: given }, added: ['behaviors'] }
  const keys = Object.keys(given)
  // `skip` is a key of both, so it does not distinguish them.
  const isBehavior = keys.some((key) => key in Behavior.shape && !(key in Handed.shape))
  const isScenario = keys.some((key) => key in Handed.shape || suggest(key, Object.keys(Handed.shape)))
  if (isScenario && !isBehavior) return { scenario: given, added: [] }
  return { scenario: { behaviors: [given] }, added: ['behaviors', 0] }
}

/** Turns numbers into duration texts at each place where the schema has a duration. */
function durationsAsWritten(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return durationsAsWritten(schema.unwrap(), value)
  }
  if (schema instanceof z.ZodCodec) {
    const isDuration = schema.def.out instanceof z.ZodNumber
    return isDuration && Number.isInteger(value) && Number(value) >= 0 ? formatDuration(Number(value)) : value
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.reduce<unknown>((written, form) => durationsAsWritten(form, written), value)
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => durationsAsWritten(schema.element, item))
  }
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const inner = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
      return [name, inner ? durationsAsWritten(inner, part) : part]
    }),
  )
}
