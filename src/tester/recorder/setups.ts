/**
 * Writes steps that occur several times in a recording as a setup, which stands in the file once, and each occurrence as a
 * `use` with its values. Every step is sent and expected as before: an expected value may only differ where one that is
 * sent differs in the same way.
 */

import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { ENDPOINTS, isCreation, pathOfTarget, writes } from '../../spec/contract/endpoints.ts'
import { tally } from '../conduct/picture.ts'
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
  const blocks = written.map((block) => blockOf(withNewKeys(block, uses), uses))
  const captures = sharedCaptures(blocks)
  const parameters = captures && sharedParameters(blocks, captures)
  if (!parameters) return undefined
  const shared = [...captures, ...parameters]
  const alike = new AlikeSteps(
    blocks.map(({ steps }, at) =>
      inNames(steps, new Map(shared.map(({ name, ofBlocks }) => [ofBlocks[at]!, name]))),
    ),
    new Set(shared.map(({ name }) => name)),
  )
  const columns = [...alike.columns]
  if (!alike.areAlike || columns.some(([, column]) => namesIn(column).length > 0)) return undefined
  const usual = new Map(columns.map(([name, column]) => [name, mostFrequent(column)]))
  const values = {
    ...Object.fromEntries(parameters.map(({ name }) => [name, null])),
    ...Object.fromEntries(usual),
  }
  return {
    setup: {
      ...withEntries('values', Object.entries(values)),
      steps: alike.stepsWith((name) => `\${${name}}`),
    },
    usesOf: (setup) =>
      blocks.map((block, at) => ({
        use: setup,
        ...withEntries('with', [
          ...parameters.map(({ name, ofBlocks }) => [name, `\${${ofBlocks[at]}}`] as const),
          ...columns
            .filter(([name, column]) => column[at] !== usual.get(name))
            .map(([name, column]) => [name, column[at]] as const),
        ]),
        ...withEntries(
          'capture',
          captures
            .filter(({ ofBlocks }) => block.usedLater.has(ofBlocks[at]!))
            .map(({ name, ofBlocks }) => [ofBlocks[at]!, `$.${name}`] as const),
        ),
      })),
  }
}

/** A name in the setup, and what stands for it in each block. */
interface SharedName {
  name: string
  ofBlocks: readonly string[]
}

/** A later use of the setup captures under the same names again, so what later steps use gets a name of its own. */
const sharedCaptures = (blocks: readonly Block[]): SharedName[] | undefined =>
  byPosition(blocks.map(({ captured }) => captured))?.map((ofBlocks) => {
    const [name = ''] = ofBlocks
    const isUsedLater = blocks.some(({ usedLater }, at) => usedLater.has(ofBlocks[at]!))
    return { name: isUsedLater ? `new${name[0]!.toUpperCase()}${name.slice(1)}` : name, ofBlocks }
  })

function sharedParameters(
  blocks: readonly Block[],
  captures: readonly SharedName[],
): SharedName[] | undefined {
  const parameters: SharedName[] = []
  const isTaken = (name: string) => [...captures, ...parameters].some((one) => one.name === name)
  const outer = byPosition(blocks.map((block) => block.outer))
  for (const ofBlocks of outer ?? []) {
    const [first = ''] = ofBlocks
    parameters.push({ name: unusedName(first.startsWith('uuid:') ? 'key' : first, isTaken), ofBlocks })
  }
  return outer && parameters
}

/** The first of each list, the second of each and so on; undefined where the lists are not equally long. */
function byPosition(lists: readonly (readonly string[])[]): string[][] | undefined {
  const [first = []] = lists
  if (lists.some(({ length }) => length !== first.length)) return undefined
  return first.map((_, position) => lists.map((list) => list[position]!))
}

interface Block {
  steps: readonly WrittenStep[]
  captured: readonly string[]
  /** The captured names that later steps use. */
  usedLater: ReadonlySet<string>
  /** The captures of earlier steps that this block uses, and keys that other requests use too. */
  outer: readonly string[]
}

function blockOf(steps: readonly WrittenStep[], uses: Uses): Block {
  const own = usesIn(steps)
  const captured = capturedIn(steps)
  return {
    steps,
    captured,
    usedLater: new Set(captured.filter((name) => own.get(`\${${name}}`) !== uses.get(`\${${name}}`))),
    outer: [...new Set(namesIn(steps))].filter((name) => name !== 'uuid' && !captured.includes(name)),
  }
}

/** The names in placeholders: of captures, and `uuid:NAME` for keys. */
const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/(?<!\$)\$\{([^{}]*)\}/g)].map(([, name]) => name!)

const withEntries = (name: string, entries: readonly (readonly [string, unknown])[]) =>
  entries.length > 0 && { [name]: Object.fromEntries(entries) }

function mostFrequent(values: readonly unknown[]): unknown {
  return [...tally(values)].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

/** A longer name is read no better than its steps. */
const MOST_WORDS = 3

/** Says what the steps do: `create-checkout-confirm`. */
function setupName(steps: readonly WrittenStep[]): string {
  const words = steps.flatMap(({ call }) => (call === undefined ? [] : [wordFor(String(call))]))
  return [...new Set(words)].slice(0, MOST_WORDS).join('-')
}

/** What its operation does: `create-refund`, `read-refunds`, or its own word, such as `confirm`. */
function wordFor(call: string): string {
  const [method = '', target = ''] = call.split(' ')
  const path = pathOfTarget(target)
  const segments = path.split('/').filter((one) => /^[\w-]+$/.test(one) && one !== 'v1')
  const last = segments.at(-1) ?? 'request'
  if (!writes(method)) return `read-${last}`
  const operation = DEFAULT_CONTRACT.operationAt(method, path)
  if (operation === undefined) return last
  const verb = operation.split('.')[1]!
  if (verb === last) return verb
  const what = ENDPOINTS[operation].what.replace('_', '-')
  return `${isCreation(operation) ? 'create' : verb}-${what}`
}
