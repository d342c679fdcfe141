/**
 * Checks references within an expanded file: a placeholder needs an earlier capture, `repeat` and `sameAs` an
 * earlier step, ids are used once, and gates are named by a behavior. Files that do not fit the schema are checked
 * too, so every value here may have any type.
 */

import { isEndpoint, matchesCall, nearestEndpoint, stubMistake } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { JOURNALED_HEADERS } from '../../spec/contract/tester.ts'
import { type Expression, namesIn, pathsIn } from './expression.ts'
import { type FileProblem, MAX_PROBLEMS } from './file-problem.ts'
import { placeholdersIn, REQUEST_WORDS } from './placeholder.ts'

/** The paths that paysim serves besides /v1. */
const OTHER_PATHS =
  /^[A-Z]+ \/(_sim|healthz|readyz|openapi\.(json|yaml)|llms|docs|checkout|sandboxes|assets)\b/

/** An id that paysim gives to a behavior without one. */
const OUR_ID = /^behavior-\d+$/

/** Relates the expanded form to the file. */
interface Writing {
  /** True for a setup that is checked alone: the file that uses it may arm the behaviors and gates that it names. */
  isSetup: boolean
  /** A text for the place in the file, shared by the copies of an `each`. */
  placeOf(path: readonly PropertyKey[]): string
  /** The names of a case, an item or a setup that were filled in at a path. */
  knownAt(path: readonly PropertyKey[]): readonly string[]
}

const AS_IT_IS: Writing = { isSetup: false, placeOf: (path) => path.join(' '), knownAt: () => [] }

export function checkReferences(file: unknown, writing = AS_IT_IS): FileProblem[] {
  if (!isObject(file)) return []
  const behaviors = listOf(file.behaviors)
  const steps = listOf(file.steps)
  const checker = new ReferenceChecker(writing)
  checker.uniqueIds(behaviors, ['behaviors'])
  // Behaviors are armed before the first step, so nothing has been captured yet.
  for (const [index, behavior] of behaviors.entries()) checker.placeholders(behavior, ['behaviors', index])
  checker.sandbox(file.sandbox)
  checker.cases(listOf(file.cases))
  checker.namesOf(file)
  for (const [index, step] of steps.entries()) checker.step(step, ['steps', index])
  return checker.problems
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

class ReferenceChecker {
  readonly problems: FileProblem[] = []
  readonly #reported = new Set<string>()
  readonly #writing: Writing
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

  constructor(writing: Writing) {
    this.#writing = writing
  }

  uniqueIds(items: unknown[], path: PropertyKey[]): void {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      if (!isObject(item) || item.id === undefined) continue
      if (seen.has(item.id)) this.#report([...path, index, 'id'], `is used above: ${String(item.id)}`)
      seen.add(item.id)
    }
  }

  sandbox(sandbox: unknown): void {
    const { journal } = isObject(sandbox) ? sandbox : {}
    for (const name of isObject(journal) ? listOf(journal.headers) : [])
      this.#headers.add(String(name).toLowerCase())
  }

  cases(cases: unknown[]): void {
    const names = new Set<unknown>()
    for (const [index, one] of cases.entries()) {
      if (!isObject(one)) continue
      const { name, ...values } = one
      if (names.has(name)) this.#report(['cases', index, 'name'], `is the name of a case above: ${name}`)
      names.add(name)
      for (const value of Object.keys(values)) this.#caseValues.add(value)
    }
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
      if (isObject(value.do) && isObject(value.when)) this.#stub(value.when.stub)
      for (const item of Object.values(value)) this.namesOf(item)
    }
  }

  #stub(stub: unknown): void {
    if (typeof stub === 'string' && stubMistake(stub) === undefined) this.#stubs.push(matchesCall(stub))
  }

  step(step: unknown, path: PropertyKey[]): void {
    if (!isObject(step) || this.#isFull) return
    const { id, capture, meanwhile, parallel, steps, with: given, ...own } = step
    if (typeof step.repeat === 'string') this.#earlier(step.repeat, [...path, 'repeat'])
    for (const word of ['expect', 'until'] as const) {
      const expected = step[word]
      if (isObject(expected) && typeof expected.sameAs === 'string') {
        this.#earlier(expected.sameAs, [...path, word, 'sameAs'])
      }
    }
    if (isObject(step.requests) && isObject(step.requests.header)) {
      this.#journaled(Object.keys(step.requests.header), [...path, 'requests', 'header'])
    }
    if (isObject(step.captured)) this.#captures(step.captured, [...path, 'captured'])
    if (isObject(step.sim)) this.#sim(step.sim, step.expect, [...path, 'sim'])
    if (typeof id === 'string') {
      const place = this.#writing.placeOf([...path, 'id'])
      if ((this.#steps.get(id) ?? place) !== place) this.#report([...path, 'id'], `is used above: ${id}`)
      this.#steps.set(id, place)
    }
    // The expectation is checked after the meanwhile steps, so it may use what they captured.
    const { expect, ...sent } = own
    this.placeholders(sent, path)
    this.#endpoint(step, path)
    this.#expectations(step, path)
    for (const [index, one] of listOf(meanwhile).entries()) this.step(one, [...path, 'meanwhile', index])
    // The schema reports a list instead of an object. Its steps are read anyway, so that their captures are known.
    const inParallel = isObject(parallel)
      ? { steps: parallel.steps, below: ['parallel', 'steps'] }
      : { steps: parallel, below: ['parallel'] }
    for (const [index, one] of listOf(inParallel.steps).entries()) {
      this.step(one, [...path, ...inParallel.below, index])
    }
    for (const [index, one] of listOf(steps).entries()) this.step(one, [...path, 'steps', index])
    this.placeholders(expect, [...path, 'expect'])
    if (!isObject(capture)) return
    if (listOf(steps).length > 0) this.#renames(capture, [...path, 'capture'])
    this.#capture(capture, [...path, 'capture'])
  }

  /** The `capture` of a `use` takes values that its setup has captured. */
  #renames(capture: Record<string, unknown>, path: PropertyKey[]): void {
    for (const [name, written] of Object.entries(capture)) {
      const from = isObject(written) ? written.from : written
      const wanted = typeof from === 'string' ? /^\$\.([\w-]+)/.exec(from)?.[1] : undefined
      if (wanted === undefined || this.#captured.has(wanted)) continue
      const meant = didYouMean(wanted, this.#captured)
      this.#report([...path, name], `has $.${wanted}, which no step of the setup captures${meant}`)
    }
  }

  #journaled(names: string[], path: PropertyKey[]): void {
    for (const name of names) {
      if (this.#headers.has(name.toLowerCase())) continue
      this.#report([...path, name], `is not journaled; sandbox: { journal: { headers: [${name}] } } does it`)
    }
  }

  #captures(captured: Record<string, unknown>, path: PropertyKey[]): void {
    for (const name of Object.keys(captured)) {
      if (this.#captured.has(name)) continue
      const meant = didYouMean(name, this.#captured)
      this.#report([...path, name], `is not captured by an earlier step${meant}`)
    }
  }

  #capture(capture: Record<string, unknown>, path: PropertyKey[]): void {
    for (const written of Object.keys(capture)) {
      const name = written.replace(/\[\]$/, '')
      if (this.#caseValues.has(name)) this.#report([...path, written], 'is already a value of the cases')
      this.#captured.add(name)
    }
  }

  #sim(command: Record<string, unknown>, expect: unknown, path: PropertyKey[]): void {
    const check = (word: string, known: ReadonlySet<string>, what: string) => {
      const name = command[word]
      if (this.#writing.isSetup || typeof name !== 'string' || known.has(name) || name.includes('${')) return
      this.#report([...path, word], `names ${what}: ${name}${didYouMean(name, known)}`)
    }
    for (const word of ['held', 'release'])
      check(word, this.#gates, 'a gate that no behavior in the file names')
    const mayBeMissing = isObject(expect) && expect.status !== undefined
    const isOurs = command.disarm === 'all' || OUR_ID.test(String(command.disarm))
    if (!mayBeMissing && !isOurs) check('disarm', this.#behaviors, 'no behavior of the file')
  }

  #earlier(id: string, path: PropertyKey[]): void {
    if (this.#steps.has(id)) return
    this.#report(path, `names no earlier step: ${id}${didYouMean(id, this.#steps.keys())}`)
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

  /**
   * Reports an `expect` inside `json`, which would be sent instead of checked, and counts that do not add up to the number of
   * requests.
   */
  #expectations({ json, expect, parallel }: Record<string, unknown>, path: PropertyKey[]): void {
    if (isObject(json) && isObject(json.expect)) {
      this.#report([...path, 'json', 'expect'], 'is sent in the body; put it next to json, not inside it')
    }
    if (!isObject(parallel) || !isObject(expect) || !isObject(expect.status)) return
    const sent = typeof parallel.count === 'number' ? parallel.count : listOf(parallel.steps).length
    const counts = Object.values(expect.status).filter((count) => typeof count === 'number')
    const sum = counts.reduce((total, count) => total + count, 0)
    if (sent === 0 || counts.length < Object.keys(expect.status).length || sum === sent) return
    this.#report([...path, 'expect', 'status'], `counts ${sum} answers of ${sent}`)
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
      if (textPath.includes('respond') && !this.#captured.has('request')) {
        this.#fromRequest(placeholder.expression, text, textPath)
      }
      const unknown = namesIn(placeholder.expression).find((name) => !this.#captured.has(name))
      if (unknown === undefined || (unknown === 'request' && textPath.includes('respond'))) continue
      // Values of the current case are filled in already, so they are listed for the suggestion.
      const known = [...this.#captured, ...this.#writing.knownAt(path), 'uuid']
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
      const word = String(fields[0] ?? '')
      if (name !== 'request' || REQUEST_WORDS.some((one) => one === word)) continue
      this.#report(path, `has ${text}, but a request has ${REQUEST_WORDS.join(', ')}`)
    }
  }

  get #isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS
  }

  /** An `each` copies a step; a mistake in it is reported once, by its place in the file. */
  #report(path: PropertyKey[], predicate: string): void {
    const place = `${this.#writing.placeOf(path)} ${predicate}`
    if (this.#isFull || this.#reported.has(place)) return
    this.#reported.add(place)
    this.problems.push({ path, of: 'value', predicate })
  }
}
