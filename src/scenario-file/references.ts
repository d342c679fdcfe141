/**
 * Checks references within a file: a placeholder needs an earlier capture, `repeat` and `sameAs` an earlier step, and ids
 * are used once. Files that do not fit the schema are checked as well, so every value here may have any type.
 */
import { type FileProblem, problemSentence } from './file-problem.ts'
import { isObject } from './matcher.ts'
import { placeholdersIn } from './placeholder.ts'
import { didYouMean } from './suggest.ts'

export function checkReferences(file: unknown): FileProblem[] {
  if (!isObject(file)) return []
  const behaviors = listOf(file.behaviors)
  const steps = listOf(file.steps)
  const checker = new ReferenceChecker()
  checker.uniqueIds(behaviors, ['behaviors'])
  for (const [index, behavior] of behaviors.entries()) checker.behavior(behavior, ['behaviors', index])
  for (const [index, step] of steps.entries()) checker.step(step, ['steps', index])
  return checker.problems
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

class ReferenceChecker {
  readonly problems: FileProblem[] = []
  readonly #captured = new Set<string>()
  readonly #steps = new Set<string>()

  uniqueIds(items: unknown[], path: PropertyKey[]): void {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      if (!isObject(item) || item.id === undefined) continue
      if (seen.has(item.id)) this.#report([...path, index, 'id'], `is used above: ${String(item.id)}`)
      seen.add(item.id)
    }
  }

  /** The behaviors of a file are armed before its first step, so nothing has been captured yet. */
  behavior(behavior: unknown, path: PropertyKey[]): void {
    this.#placeholders(behavior, path)
  }

  step(step: unknown, path: PropertyKey[]): void {
    if (!isObject(step)) return
    const { id, capture, meanwhile, parallel, ...own } = step
    if (typeof step.repeat === 'string') this.#earlier(step.repeat, [...path, 'repeat'])
    if (isObject(step.expect) && typeof step.expect.sameAs === 'string') {
      this.#earlier(step.expect.sameAs, [...path, 'expect', 'sameAs'])
    }
    if (typeof id === 'string') {
      if (this.#steps.has(id)) this.#report([...path, 'id'], `is used above: ${id}`)
      this.#steps.add(id)
    }
    // The expectation is checked after the meanwhile steps, so it may use what they captured.
    const { expect, ...sent } = own
    this.#placeholders(sent, path)
    for (const [index, one] of listOf(meanwhile).entries()) this.step(one, [...path, 'meanwhile', index])
    if (isObject(parallel)) {
      for (const [index, one] of listOf(parallel.steps).entries()) {
        this.step(one, [...path, 'parallel', 'steps', index])
      }
    }
    this.#placeholders(expect, [...path, 'expect'])
    if (isObject(capture)) for (const name of Object.keys(capture)) this.#captured.add(name)
  }

  #earlier(id: string, path: PropertyKey[]): void {
    if (this.#steps.has(id)) return
    this.#report(path, `names no earlier step: ${id}${didYouMean(id, this.#steps)}`)
  }

  #placeholders(value: unknown, path: PropertyKey[]): void {
    for (const { path: textPath, text, placeholder } of placeholdersIn(value, path)) {
      if (placeholder === undefined) {
        this.#report(textPath, `has ${text}, which must be \${name}, \${env:NAME}, \${uuid} or \${uuid:name}`)
      } else if (placeholder.kind === 'captured' && !this.#captured.has(placeholder.name)) {
        const meant = didYouMean(placeholder.name, this.#captured)
        this.#report(textPath, `has ${text}, which no step before it captures${meant}`)
      }
    }
  }

  #report(path: PropertyKey[], predicate: string): void {
    this.problems.push({ path, of: 'value', message: problemSentence(path, predicate) })
  }
}
