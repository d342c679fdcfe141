/**
 * What a file refers to must be there by then: captures that an earlier step made, steps that came before, ids that
 * are used once. All of it can be known without playing. A file whose shape is wrong elsewhere is checked as well, so
 * nothing is taken for granted here.
 */
import { type FileProblem, problemSentence } from './complaint.ts'
import { isObject } from './matcher.ts'
import { placeholdersIn } from './placeholder.ts'
import { didYouMean } from './suggest.ts'

export function checkReferences(file: unknown): FileProblem[] {
  if (!isObject(file)) return []
  const behaviors = listOf(file.behaviors)
  const steps = listOf(file.steps)
  const checker = new Checker()
  checker.uniqueIds(behaviors, ['behaviors'])
  for (const [index, behavior] of behaviors.entries()) checker.armed(behavior, ['behaviors', index])
  for (const [index, step] of steps.entries()) checker.step(step, ['steps', index])
  return checker.complaints
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

class Checker {
  readonly complaints: FileProblem[] = []
  readonly #captured = new Set<string>()
  readonly #steps = new Set<string>()

  uniqueIds(items: unknown[], path: PropertyKey[]): void {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      if (!isObject(item) || item.id === undefined) continue
      if (seen.has(item.id))
        this.#complain([...path, index, 'id'], `is taken: ${String(item.id)} stands above`)
      seen.add(item.id)
    }
  }

  /** The behaviors of a file are armed before its first step, so nothing has been captured yet. */
  armed(behavior: unknown, path: PropertyKey[]): void {
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
      if (this.#steps.has(id)) this.#complain([...path, 'id'], `is taken: ${id} stands above`)
      this.#steps.add(id)
    }
    // An expectation is looked at when the answer is there, by which time the steps in between have captured.
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
    this.#complain(path, `names no earlier step: ${id}${didYouMean(id, this.#steps)}`)
  }

  #placeholders(value: unknown, path: PropertyKey[]): void {
    for (const { path: internals, text, placeholder } of placeholdersIn(value, path)) {
      if (placeholder === undefined) {
        this.#complain(
          internals,
          `has ${text}, which must be \${name}, \${env:NAME}, \${uuid} or \${uuid:name}`,
        )
      } else if (placeholder.kind === 'captured' && !this.#captured.has(placeholder.name)) {
        const meant = didYouMean(placeholder.name, this.#captured)
        this.#complain(internals, `has ${text}, which no step before it captures${meant}`)
      }
    }
  }

  #complain(path: PropertyKey[], predicate: string): void {
    this.complaints.push({ path, of: 'value', message: problemSentence(path, predicate) })
  }
}
