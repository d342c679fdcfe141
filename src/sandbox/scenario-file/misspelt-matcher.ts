/**
 * Finds objects that look like a matcher with a typing mistake. They are compared as data, so what must not happen, such as with
 * `count: 0`, would always pass.
 */
import { isObject } from '../../spec/contract/parsed-json.ts'
import { suggest } from '../../spec/contract/suggest.ts'
import type { FileProblem } from './file-problem.ts'
import { MATCHER_NAMES } from './matcher.ts'

/** What is compared with a body: these keys, in these places. */
const BODIES = ['json', 'data']
const PLACES = ['expect', 'until', 'requests', 'webhook', 'when']

export function misspeltMatchers(
  value: unknown,
  path: PropertyKey[] = [],
  isCompared = false,
): FileProblem[] {
  if (typeof value !== 'object' || value === null) return []
  const found = isCompared && isObject(value) ? problemOf(value, path) : []
  const inner = Object.entries(value).flatMap(([name, part]) => {
    const isBody = name === 'captured' || (BODIES.includes(name) && PLACES.includes(String(path.at(-1))))
    return misspeltMatchers(part, [...path, Array.isArray(value) ? Number(name) : name], isCompared || isBody)
  })
  return [...found, ...inner]
}

function problemOf(value: Record<string, unknown>, path: PropertyKey[]): FileProblem[] {
  const [name, ...others] = Object.keys(value)
  if (name === undefined || others.length > 0 || MATCHER_NAMES.includes(name)) return []
  const meant = suggest(name, MATCHER_NAMES)
  if (meant === undefined) return []
  const predicate = `is compared as data, as ${name} is no matcher; did you mean ${meant}?`
  return [{ path, of: 'value', predicate }]
}
