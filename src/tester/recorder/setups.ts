/**
 * Writes steps that occur several times in a recording as a setup, which stands in the file once, and each occurrence as a
 * `use` with its values. Every step is sent and expected as before: an expected value may only differ where one that is
 * sent differs in the same way.
 */
import {
  AlikeSteps,
  capturedIn,
  inNames,
  mayBeWrittenOnce,
  sizeOf,
  type Uses,
  unusedName,
  usesIn,
  withNewKeys,
} from './alike-steps.ts'
import type { WrittenStep } from './session.ts'
import { setupName } from './setup-name.ts'
import { stepsYaml } from './write-yaml.ts'

/** Such as: create, confirm, refund, wait, read. */
const MOST_STEPS = 8
/** A reader looks up each of them. */
const MOST_SETUPS = 10

export interface WrittenSetup {
  values?: Record<string, unknown>
  steps: WrittenStep[]
}

export interface StepsWithSetups {
  setups: Record<string, WrittenSetup>
  steps: readonly WrittenStep[]
}

/** The setups that make the file shorter, and its steps with a `use` of them. */
export function withSetups(recorded: readonly WrittenStep[]): StepsWithSetups {
  const setups: Record<string, WrittenSetup> = {}
  let steps = recorded
  while (Object.keys(setups).length < MOST_SETUPS) {
    const best = bestSetup(steps, setups)
    if (best === undefined) break
    setups[best.name] = best.setup
    steps = best.steps
  }
  return { setups, steps }
}

interface Candidate {
  starts: readonly number[]
  length: number
  /** Upper bound: the block's size times its repetitions but one. The lines that use the setup are not subtracted. */
  saves: number
}

/** What saves most is tried first. The text decides, as it is what a person reads. */
function bestSetup(steps: readonly WrittenStep[], setups: StepsWithSetups['setups']) {
  const uses = usesIn(steps)
  for (const { starts, length } of candidatesIn(steps)) {
    const blocks = starts.map((start) => steps.slice(start, start + length))
    const found = setupFor(blocks, uses)
    if (found === undefined) continue
    const { setup } = found
    const name = unusedName(setupName(setup.steps), (one) => Object.hasOwn(setups, one))
    const written = found.usesOf(name)
    const after = stepsYaml(written) + stepsYaml([{ [name]: setup }])
    if (after.length >= stepsYaml(blocks.flat()).length) continue
    return { name, setup, steps: replaced(steps, starts, length, written) }
  }
  return undefined
}

function replaced(
  steps: readonly WrittenStep[],
  starts: readonly number[],
  length: number,
  written: readonly WrittenStep[],
): WrittenStep[] {
  return steps.flatMap((step, index) => {
    const at = starts.findLastIndex((start) => start <= index)
    if (at < 0 || index >= starts[at]! + length) return [step]
    return index === starts[at] ? [written[at]!] : []
  })
}

/** Blocks that look alike and do not overlap; those that may save most come first. */
function candidatesIn(steps: readonly WrittenStep[]): Candidate[] {
  const sizes = steps.map(sizeOf)
  const candidates: Candidate[] = []
  for (let length = 1; length <= Math.min(MOST_STEPS, steps.length / 2); length += 1) {
    const byLook = new Map<string, number[]>()
    for (let start = 0; start + length <= steps.length; start += 1) {
      const block = steps.slice(start, start + length)
      // A block begins with a request: an `advance` before it belongs to the steps before.
      if (!('call' in block[0]!) || !block.every(mayBeAmongOthers)) continue
      const look = lookOf(block)
      const starts = byLook.get(look) ?? []
      if (start >= (starts.at(-1) ?? -length) + length) byLook.set(look, [...starts, start])
    }
    for (const starts of byLook.values()) {
      const sizeOfOne = sizes.slice(starts[0], starts[0]! + length).reduce((sum, one) => sum + one, 0)
      if (starts.length > 1) candidates.push({ starts, length, saves: sizeOfOne * (starts.length - 1) })
    }
  }
  return candidates.sort((one, other) => other.saves - one.saves)
}

/** Not a `repeat`, which names a step by its id: an id may stand in a file only once. */
const mayBeAmongOthers = (step: WrittenStep) => mayBeWrittenOnce(step) && !('repeat' in step)

/**
 * A text that is equal for blocks that differ only in sent values, and in expected values that equal a sent
 * one.
 */
function lookOf(block: readonly WrittenStep[]): string {
  const sent = new Set<unknown>()
  const sentLooks = block.map(({ expect: _, ...step }) =>
    JSON.stringify(step, (name, value) => {
      if (name === 'capture') return Object.values(value)
      if (typeof value === 'object') return value
      if (name === 'call') return value.replaceAll(/\$\{\w+\}/g, '${}')
      if (name !== 'key') sent.add(value)
      return typeof value
    }),
  )
  const expectedLooks = block.map(({ expect }) =>
    JSON.stringify(expect, (_, value) => {
      if (typeof value === 'object') return value
      return sent.has(value) ? '=' : String(value).replaceAll(/\$\{\w+\}/g, '${}')
    }),
  )
  return [...sentLooks, ...expectedLooks].join('\n')
}

interface FoundSetup {
  setup: WrittenSetup
  /** The `use` steps, one for each block. */
  usesOf(name: string): WrittenStep[]
}

/** Undefined if the blocks cannot have one setup. */
function setupFor(written: readonly (readonly WrittenStep[])[], uses: Uses): FoundSetup | undefined {
  const blocks = written.map((block) => new Block(withNewKeys(block, uses), uses))
  const first = blocks[0]!
  const haveSameNames = blocks.every(
    ({ captured, outer }) => captured.length === first.captured.length && outer.length === first.outer.length,
  )
  if (!haveSameNames) return undefined
  // A later use of the setup captures under the same names again, so what later steps use gets a name of its own.
  const captured = first.captured.map((name, index) =>
    blocks.some((block) => block.isUsedLater[index]) ? `new${name[0]!.toUpperCase()}${name.slice(1)}` : name,
  )
  const parameters: string[] = []
  for (const name of first.outer) {
    const isTaken = (one: string) => parameters.includes(one) || captured.includes(one)
    parameters.push(unusedName(name.startsWith('uuid:') ? 'key' : name, isTaken))
  }
  const alike = new AlikeSteps(
    blocks.map((block) => block.inNames([...captured, ...parameters])),
    new Set([...captured, ...parameters]),
  )
  const columns = [...alike.columns]
  if (!alike.areAlike || columns.some(([, column]) => namesIn(column).length > 0)) return undefined
  const usual = new Map(columns.map(([name, column]) => [name, mostFrequent(column)]))
  const values = {
    ...Object.fromEntries(parameters.map((name) => [name, null])),
    ...Object.fromEntries(usual),
  }
  return {
    setup: {
      ...withEntries('values', Object.entries(values)),
      steps: alike.stepsWith((name) => `\${${name}}`),
    },
    usesOf: (name) =>
      blocks.map((block, at) => ({
        use: name,
        ...withEntries('with', [
          ...parameters.map((one, index) => [one, `\${${block.outer[index]}}`] as const),
          ...columns
            .filter(([one, column]) => column[at] !== usual.get(one))
            .map(([one, column]) => [one, column[at]] as const),
        ]),
        ...withEntries(
          'capture',
          captured
            .map((one, index) => [block.captured[index]!, `$.${one}`] as const)
            .filter((_, index) => block.isUsedLater[index]),
        ),
      })),
  }
}

class Block {
  readonly captured: readonly string[]
  /** For each captured name, whether later steps use it. */
  readonly isUsedLater: readonly boolean[]
  /** The captures of earlier steps that this block uses, and keys that other requests use too. */
  readonly outer: readonly string[]
  readonly #steps: readonly WrittenStep[]

  constructor(steps: readonly WrittenStep[], uses: Uses) {
    this.#steps = steps
    const own = usesIn(steps)
    this.captured = capturedIn(steps)
    this.isUsedLater = this.captured.map((name) => own.get(`\${${name}}`) !== uses.get(`\${${name}}`))
    this.outer = [...new Set(namesIn(steps))].filter(
      (name) => name !== 'uuid' && !this.captured.includes(name),
    )
  }

  inNames(names: readonly string[]): WrittenStep[] {
    return inNames(
      this.#steps,
      new Map([...this.captured, ...this.outer].map((one, index) => [one, names[index]!])),
    )
  }
}

/** The names in placeholders: of captures, and `uuid:NAME` for keys. */
const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/(?<!\$)\$\{([^{}]*)\}/g)].map(([, name]) => name!)

const withEntries = (name: string, entries: readonly (readonly [string, unknown])[]) =>
  entries.length > 0 && { [name]: Object.fromEntries(entries) }

function mostFrequent(values: readonly unknown[]): unknown {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}
