/**
 * Checks references within an expanded file: a placeholder needs an earlier capture, `repeat` and `sameAs` an
 * earlier step, ids are used once, and gates are named by a behavior. Files that do not fit the schema are checked
 * too, so every value here may have any type.
 */

import { isEndpoint, matchesCall, nearestEndpoint, stubMistake } from '../../spec/contract/endpoints.ts'
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { JOURNALED_HEADERS } from '../../spec/contract/tester.ts'
import type { Origin } from './expand.ts'
import { type Expression, namesIn, pathsIn } from './expression.ts'
import { type FileProblem, MAX_PROBLEMS } from './file-problem.ts'
import { placeholdersIn, REQUEST_WORDS } from './placeholder.ts'

/** The paths that paysim serves besides /v1. */
const OTHER_PATHS =
  /^[A-Z]+ \/(_sim|healthz|readyz|openapi\.(json|yaml)|llms|docs|checkout|sandboxes|assets)\b/

/** An id that paysim gives to a behavior without one. */
const OUR_ID = /^behavior-\d+$/

interface Options {
  /** True for a setup that is checked alone: the file that uses it may arm the behaviors and gates that it names. */
  isSetup?: boolean
  /** The place of a path in the file. The copies of an `each` share theirs. */
  originOf?: ((path: readonly PropertyKey[]) => Origin) | undefined
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

export function checkReferences(file: unknown, { isSetup = false, originOf }: Options = {}): FileProblem[] {
  if (!isObject(file)) return []
  const problems: FileProblem[] = []
  const reported = new Set<string>()
  const captured = new Set<string>()
  /** The place of each step with an id. */
  const places = new Map<string, string>()
  const gates = new Set<string>()
  /** The ids of behaviors. */
  const ids = new Set<string>()
  /** Whether a behavior of the file stubs a call. */
  const stubs: ((call: string) => boolean)[] = []
  const headers = listOf(valueAt(file.sandbox, ['journal', 'headers']))
  const journaled = new Set([...JOURNALED_HEADERS, ...headers.map((name) => String(name).toLowerCase())])
  const cases = listOf(file.cases)
  /** Names of values in `cases`. */
  const caseValues = new Set(cases.flatMap(keysOf).filter((name) => name !== 'name'))

  const behaviors = listOf(file.behaviors)
  unique(behaviors, ['behaviors'], 'id', 'is used above')
  // Behaviors are armed before the first step, so nothing has been captured yet.
  for (const [index, behavior] of behaviors.entries()) placeholders(behavior, ['behaviors', index])
  unique(cases, ['cases'], 'name', 'is the name of a case above')
  namesOf(file)
  checkSteps(file.steps, ['steps'])
  return problems

  /** Reports a repeated id or name. */
  function unique(items: unknown[], path: PropertyKey[], key: string, rule: string): void {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      if (!isObject(item) || item[key] === undefined) continue
      if (seen.has(item[key])) report([...path, index, key], `${rule}: ${item[key]}`)
      seen.add(item[key])
    }
  }

  /**
   * Collects every gate that a behavior or a header of the file names, and every id of a behavior, anywhere
   * in the file.
   */
  function namesOf(value: unknown): void {
    if (typeof value === 'string') {
      for (const [, gate] of value.matchAll(/\bhold=([\w.-]+)/g)) gates.add(gate!)
    } else if (Array.isArray(value)) for (const item of value) namesOf(item)
    else if (isObject(value)) {
      for (const name of [value.hold, value.gate]) if (typeof name === 'string') gates.add(name)
      if (isObject(value.do) && typeof value.id === 'string') ids.add(value.id)
      const stub = isObject(value.do) && valueAt(value.when, ['stub'])
      if (typeof stub === 'string' && stubMistake(stub) === undefined) stubs.push(matchesCall(stub))
      for (const item of Object.values(value)) namesOf(item)
    }
  }

  function checkSteps(steps: unknown, path: PropertyKey[]): void {
    for (const [index, step] of listOf(steps).entries()) checkStep(step, [...path, index])
  }

  function checkStep(step: unknown, path: PropertyKey[]): void {
    if (!isObject(step) || isFull()) return
    const { id, capture, meanwhile, parallel, steps, with: given, expect, ...sent } = step
    const earlier = (...keys: string[]) => {
      const named = valueAt(step, keys)
      mustKnow(named, places, [...path, ...keys], `names no earlier step: ${named}`)
    }
    earlier('repeat')
    earlier('expect', 'sameAs')
    earlier('until', 'sameAs')
    checkHeaders(valueAt(step, ['requests', 'header']), [...path, 'requests', 'header'])
    for (const name of keysOf(step.captured))
      mustKnow(name, captured, [...path, 'captured', name], 'is not captured by an earlier step')
    if (isObject(step.sim)) checkSim(step.sim, expect, [...path, 'sim'])
    if (typeof id === 'string') {
      const place = placeOf([...path, 'id'])
      if ((places.get(id) ?? place) !== place) report([...path, 'id'], `is used above: ${id}`)
      places.set(id, place)
    }
    placeholders(sent, path)
    checkCall(step, path)
    if (isObject(valueAt(sent.json, ['expect'])))
      report([...path, 'json', 'expect'], 'is sent in the body; put it next to json, not inside it')
    checkSteps(meanwhile, [...path, 'meanwhile'])
    // The schema reports a list instead of an object. Its steps are read anyway, so that their captures are known.
    if (isObject(parallel)) checkSteps(parallel.steps, [...path, 'parallel', 'steps'])
    else checkSteps(parallel, [...path, 'parallel'])
    checkSteps(steps, [...path, 'steps'])
    // Checked after the meanwhile steps, so it may use what they captured.
    placeholders(expect, [...path, 'expect'])
    checkCapture(capture, listOf(steps).length > 0, [...path, 'capture'])
  }

  /** `isRenaming`: the `capture` of a `use`, which takes values that its setup has captured. */
  function checkCapture(capture: unknown, isRenaming: boolean, path: PropertyKey[]): void {
    for (const [written, how] of isObject(capture) ? Object.entries(capture) : []) {
      const from = isObject(how) ? how.from : how
      const wanted = isRenaming ? /^\$\.([\w-]+)/.exec(String(from))?.[1] : undefined
      const predicate = `has $.${wanted}, which no step of the setup captures`
      mustKnow(wanted, captured, [...path, written], predicate)
      const name = written.replace(/\[\]$/, '')
      if (caseValues.has(name)) report([...path, written], 'is already a value of the cases')
      captured.add(name)
    }
  }

  function checkHeaders(header: unknown, path: PropertyKey[]): void {
    for (const name of keysOf(header)) {
      if (journaled.has(name.toLowerCase())) continue
      report([...path, name], `is not journaled; sandbox: { journal: { headers: [${name}] } } does it`)
    }
  }

  function checkSim(
    { held, release, disarm }: Record<string, unknown>,
    expect: unknown,
    path: PropertyKey[],
  ): void {
    if (isSetup) return
    const check = (word: string, name: unknown, known: ReadonlySet<string>, what: string) => {
      if (!String(name).includes('${')) mustKnow(name, known, [...path, word], `names ${what}: ${name}`)
    }
    check('held', held, gates, 'a gate that no behavior in the file names')
    check('release', release, gates, 'a gate that no behavior in the file names')
    const mayBeMissing = isObject(expect) && expect.status !== undefined
    if (!mayBeMissing && disarm !== 'all' && !OUR_ID.test(String(disarm)))
      check('disarm', disarm, ids, 'no behavior of the file')
  }

  /** Reports a text that is not one of the known names. */
  function mustKnow(
    name: unknown,
    known: Pick<ReadonlySet<string>, 'has' | 'keys'>,
    path: PropertyKey[],
    predicate: string,
  ): void {
    if (typeof name === 'string' && !known.has(name))
      report(path, `${predicate}${didYouMean(name, known.keys())}`)
  }

  /** Reports a call that is almost an endpoint. A step that expects 404 or 405 may send to any path. */
  function checkCall({ call, expect }: Record<string, unknown>, path: PropertyKey[]): void {
    if (typeof call !== 'string' || !/^[A-Z]+ \//.test(call) || OTHER_PATHS.test(call)) return
    const asked = call.replaceAll(/\$\{[^{}]*\}/g, '{}')
    if (isEndpoint(asked) || stubs.some((isMeant) => isMeant(asked.replace(/\?.*/s, '')))) return
    const status = isObject(expect) ? expect.status : undefined
    if (status === 404 || status === 405) return
    const near = nearestEndpoint(asked)
    if (near !== undefined) report([...path, 'call'], `is not an endpoint; did you mean ${near}?`)
  }

  function placeholders(value: unknown, path: PropertyKey[]): void {
    for (const { path: textPath, text, placeholder } of placeholdersIn(value, path)) {
      if (isFull()) return
      if (placeholder === undefined) {
        report(
          textPath,
          `has ${shortened(text)}, which must be \${name}, \${name.field}, \${name + 1}, \${env:NAME}, \${uuid} or \${uuid:name}`,
        )
      }
      if (placeholder?.kind !== 'value') continue
      const isAnswer = textPath.includes('respond') && !captured.has('request')
      if (isAnswer) fromRequest(placeholder.expression, text, textPath)
      const unknown = namesIn(placeholder.expression).find((name) => !captured.has(name))
      if (unknown === undefined || (unknown === 'request' && isAnswer)) continue
      // Values of the current case are filled in already, so they are listed for the suggestion.
      const known = [...captured, ...(originOf?.(path).known.keys() ?? []), 'uuid']
      const lacks = caseValues.has(unknown)
        ? 'not every case gives'
        : `no step before it captures${didYouMean(unknown, known)}`
      report(textPath, `has ${text}, which ${lacks}`)
    }
  }

  /** Checks a response's placeholder that takes values from the request. */
  function fromRequest(expression: Expression, text: string, path: PropertyKey[]): void {
    // Refused here, because during play an expression that cannot be calculated is null, without an error.
    if (/\d\.\d{3}/.test(text)) {
      report(path, `has ${text}, but a sum is of whole cents: its numbers have at most two decimals`)
    }
    for (const { name, fields } of pathsIn(expression)) {
      if (name !== 'request' || REQUEST_WORDS.some((word) => word === String(fields[0]))) continue
      report(path, `has ${text}, but a request has ${REQUEST_WORDS.join(', ')}`)
    }
  }

  function isFull(): boolean {
    return problems.length >= MAX_PROBLEMS
  }

  function placeOf(path: PropertyKey[]): string {
    const origin = originOf?.(path) ?? { path }
    return `${'source' in origin ? origin.source.file : ''} ${origin.path.join(' ')}`
  }

  /** An `each` copies a step; a mistake in it is reported once, by its place in the file. */
  function report(path: PropertyKey[], predicate: string): void {
    const place = `${placeOf(path)} ${predicate}`
    if (isFull() || reported.has(place)) return
    reported.add(place)
    problems.push({ path, of: 'value', predicate })
  }
}
