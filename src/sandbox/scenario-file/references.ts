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

export function checkReferences(file: unknown, options: Options = {}): FileProblem[] {
  if (!isObject(file)) return []
  const behaviors = listOf(file.behaviors)
  const checker = new ReferenceChecker(options)
  checker.unique(behaviors, ['behaviors'], 'id', 'is used above')
  // Behaviors are armed before the first step, so nothing has been captured yet.
  for (const [index, behavior] of behaviors.entries()) checker.placeholders(behavior, ['behaviors', index])
  checker.journaling(valueAt(file.sandbox, ['journal', 'headers']))
  checker.cases(listOf(file.cases))
  checker.namesOf(file)
  checker.steps(file.steps, ['steps'])
  return checker.problems
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

class ReferenceChecker {
  readonly problems: FileProblem[] = []
  readonly #reported = new Set<string>()
  readonly #options: Options
  readonly #captured = new Set<string>()
  /** The place of each id. */
  readonly #steps = new Map<string, string>()
  readonly #gates = new Set<string>()
  readonly #behaviors = new Set<string>()
  /** Whether a behavior of the file stubs a call. */
  readonly #stubs: ((call: string) => boolean)[] = []
  /** The headers of requests that the sandbox journals. */
  readonly #headers = new Set(JOURNALED_HEADERS)
  /** Names of values in `cases`. */
  readonly #caseValues = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Reports a repeated id or name. */
  unique(items: unknown[], path: PropertyKey[], key: string, rule: string): void {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      if (!isObject(item) || item[key] === undefined) continue
      if (seen.has(item[key])) this.#report([...path, index, key], `${rule}: ${item[key]}`)
      seen.add(item[key])
    }
  }

  journaling(headers: unknown): void {
    for (const name of listOf(headers)) this.#headers.add(String(name).toLowerCase())
  }

  cases(cases: unknown[]): void {
    this.unique(cases, ['cases'], 'name', 'is the name of a case above')
    for (const value of cases.flatMap(keysOf)) if (value !== 'name') this.#caseValues.add(value)
  }

  /**
   * Collects every gate that a behavior or a header of the file names, and every id of a behavior, anywhere
   * in the file.
   */
  namesOf(value: unknown): void {
    if (typeof value === 'string') {
      for (const [, gate] of value.matchAll(/\bhold=([\w.-]+)/g)) this.#gates.add(gate!)
    } else if (Array.isArray(value)) for (const item of value) this.namesOf(item)
    else if (isObject(value)) {
      for (const name of [value.hold, value.gate]) if (typeof name === 'string') this.#gates.add(name)
      if (isObject(value.do) && typeof value.id === 'string') this.#behaviors.add(value.id)
      const stub = isObject(value.do) && valueAt(value.when, ['stub'])
      if (typeof stub === 'string' && stubMistake(stub) === undefined) this.#stubs.push(matchesCall(stub))
      for (const item of Object.values(value)) this.namesOf(item)
    }
  }

  steps(steps: unknown, path: PropertyKey[]): void {
    for (const [index, step] of listOf(steps).entries()) this.#step(step, [...path, index])
  }

  #step(step: unknown, path: PropertyKey[]): void {
    if (!isObject(step) || this.#isFull) return
    const { id, capture, meanwhile, parallel, steps, with: given, expect, ...sent } = step
    const earlier = (...keys: string[]) => {
      const named = valueAt(step, keys)
      this.#mustKnow(named, this.#steps, [...path, ...keys], `names no earlier step: ${named}`)
    }
    earlier('repeat')
    earlier('expect', 'sameAs')
    earlier('until', 'sameAs')
    this.#journaled(valueAt(step, ['requests', 'header']), [...path, 'requests', 'header'])
    for (const name of keysOf(step.captured))
      this.#mustKnow(name, this.#captured, [...path, 'captured', name], 'is not captured by an earlier step')
    if (isObject(step.sim)) this.#sim(step.sim, expect, [...path, 'sim'])
    if (typeof id === 'string') {
      const place = this.#placeOf([...path, 'id'])
      if ((this.#steps.get(id) ?? place) !== place) this.#report([...path, 'id'], `is used above: ${id}`)
      this.#steps.set(id, place)
    }
    this.placeholders(sent, path)
    this.#endpoint(step, path)
    if (isObject(valueAt(sent.json, ['expect'])))
      this.#report([...path, 'json', 'expect'], 'is sent in the body; put it next to json, not inside it')
    this.steps(meanwhile, [...path, 'meanwhile'])
    // The schema reports a list instead of an object. Its steps are read anyway, so that their captures are known.
    if (isObject(parallel)) this.steps(parallel.steps, [...path, 'parallel', 'steps'])
    else this.steps(parallel, [...path, 'parallel'])
    this.steps(steps, [...path, 'steps'])
    // Checked after the meanwhile steps, so it may use what they captured.
    this.placeholders(expect, [...path, 'expect'])
    this.#capture(capture, listOf(steps).length > 0, [...path, 'capture'])
  }

  /** `isRenaming`: the `capture` of a `use`, which takes values that its setup has captured. */
  #capture(capture: unknown, isRenaming: boolean, path: PropertyKey[]): void {
    for (const [written, how] of isObject(capture) ? Object.entries(capture) : []) {
      const from = isObject(how) ? how.from : how
      const wanted = isRenaming ? /^\$\.([\w-]+)/.exec(String(from))?.[1] : undefined
      const predicate = `has $.${wanted}, which no step of the setup captures`
      this.#mustKnow(wanted, this.#captured, [...path, written], predicate)
      const name = written.replace(/\[\]$/, '')
      if (this.#caseValues.has(name)) this.#report([...path, written], 'is already a value of the cases')
      this.#captured.add(name)
    }
  }

  #journaled(header: unknown, path: PropertyKey[]): void {
    for (const name of keysOf(header)) {
      if (this.#headers.has(name.toLowerCase())) continue
      this.#report([...path, name], `is not journaled; sandbox: { journal: { headers: [${name}] } } does it`)
    }
  }

  #sim({ held, release, disarm }: Record<string, unknown>, expect: unknown, path: PropertyKey[]): void {
    if (this.#options.isSetup) return
    const check = (word: string, name: unknown, known: ReadonlySet<string>, what: string) => {
      if (!String(name).includes('${')) this.#mustKnow(name, known, [...path, word], `names ${what}: ${name}`)
    }
    check('held', held, this.#gates, 'a gate that no behavior in the file names')
    check('release', release, this.#gates, 'a gate that no behavior in the file names')
    const mayBeMissing = isObject(expect) && expect.status !== undefined
    if (!mayBeMissing && disarm !== 'all' && !OUR_ID.test(String(disarm)))
      check('disarm', disarm, this.#behaviors, 'no behavior of the file')
  }

  /** Reports a text that is not one of the known names. */
  #mustKnow(
    name: unknown,
    known: Pick<ReadonlySet<string>, 'has' | 'keys'>,
    path: PropertyKey[],
    predicate: string,
  ): void {
    if (typeof name === 'string' && !known.has(name))
      this.#report(path, `${predicate}${didYouMean(name, known.keys())}`)
  }

  /** Reports a call that is almost an endpoint. A step that expects 404 or 405 may send to any path. */
  #endpoint({ call, expect }: Record<string, unknown>, path: PropertyKey[]): void {
    if (typeof call !== 'string' || !/^[A-Z]+ \//.test(call) || OTHER_PATHS.test(call)) return
    const asked = call.replaceAll(/\$\{[^{}]*\}/g, '{}')
    if (isEndpoint(asked) || this.#stubs.some((isMeant) => isMeant(asked.replace(/\?.*/s, '')))) return
    const status = isObject(expect) ? expect.status : undefined
    if (status === 404 || status === 405) return
    const near = nearestEndpoint(asked)
    if (near !== undefined) this.#report([...path, 'call'], `is not an endpoint; did you mean ${near}?`)
  }

  placeholders(value: unknown, path: PropertyKey[]): void {
    for (const { path: textPath, text, placeholder } of placeholdersIn(value, path)) {
      if (this.#isFull) return
      if (placeholder === undefined) {
        this.#report(
          textPath,
          `has ${shortened(text)}, which must be \${name}, \${name.field}, \${name + 1}, \${env:NAME}, \${uuid} or \${uuid:name}`,
        )
      }
      if (placeholder?.kind !== 'value') continue
      const isAnswer = textPath.includes('respond') && !this.#captured.has('request')
      if (isAnswer) this.#fromRequest(placeholder.expression, text, textPath)
      const unknown = namesIn(placeholder.expression).find((name) => !this.#captured.has(name))
      if (unknown === undefined || (unknown === 'request' && isAnswer)) continue
      // Values of the current case are filled in already, so they are listed for the suggestion.
      const known = [...this.#captured, ...(this.#options.originOf?.(path).known.keys() ?? []), 'uuid']
      const lacks = this.#caseValues.has(unknown)
        ? 'not every case gives'
        : `no step before it captures${didYouMean(unknown, known)}`
      this.#report(textPath, `has ${text}, which ${lacks}`)
    }
  }

  /** Checks a response's placeholder that takes values from the request. */
  #fromRequest(expression: Expression, text: string, path: PropertyKey[]): void {
    // Refused here, because during play an expression that cannot be calculated is null, without an error.
    if (/\d\.\d{3}/.test(text)) {
      this.#report(path, `has ${text}, but a sum is of whole cents: its numbers have at most two decimals`)
    }
    for (const { name, fields } of pathsIn(expression)) {
      if (name !== 'request' || REQUEST_WORDS.some((word) => word === String(fields[0]))) continue
      this.#report(path, `has ${text}, but a request has ${REQUEST_WORDS.join(', ')}`)
    }
  }

  get #isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS
  }

  #placeOf(path: PropertyKey[]): string {
    const origin = this.#options.originOf?.(path) ?? { path }
    return `${'source' in origin ? origin.source.file : ''} ${origin.path.join(' ')}`
  }

  /** An `each` copies a step; a mistake in it is reported once, by its place in the file. */
  #report(path: PropertyKey[], predicate: string): void {
    const place = `${this.#placeOf(path)} ${predicate}`
    if (this.#isFull || this.#reported.has(place)) return
    this.#reported.add(place)
    this.problems.push({ path, of: 'value', predicate })
  }
}
