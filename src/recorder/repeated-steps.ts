/**
 * Writes steps that follow each other and are the same but for a few values as one `each` over these values. What is sent
 * and what is expected stay as they were: an expected value may only differ where one that is sent differs in the same way.
 */
import { isObject } from '../scenario-file/matcher.ts'
import type { WrittenStep } from './session.ts'

/** Two steps are read sooner than a list of two items and the step that they are for. */
const FEWEST_ITEMS = 3
/** Such as: create, confirm, refund, wait, read. */
const MOST_STEPS = 6

export function withRepeatedSteps(steps: readonly WrittenStep[]): WrittenStep[] {
  const uses = usesIn(steps)
  const written: WrittenStep[] = []
  for (let at = 0; at < steps.length; ) {
    const { step, covered } = shortestAt(steps.slice(at), uses) ?? { step: steps[at]!, covered: 1 }
    written.push(step)
    at += covered
  }
  return written
}

/** The `each` that saves most at the beginning of these steps, and how many of them it stands for. */
function shortestAt(steps: readonly WrittenStep[], uses: Uses) {
  let best: { step: WrittenStep; covered: number; saved: number } | undefined
  for (let length = 1; length <= Math.min(MOST_STEPS, steps.length / FEWEST_ITEMS); length += 1) {
    const { step, count } = longestEach(steps, length, uses) ?? { step: undefined, count: 0 }
    if (step === undefined) continue
    const covered = count * length
    const saved = size(steps.slice(0, covered)) - size(step)
    if (saved > (best?.saved ?? 0)) best = { step, covered, saved }
  }
  return best
}

const size = (value: unknown) => JSON.stringify(value).length

/** What is alike stays alike with fewer items, so the most are found by halving. */
function longestEach(steps: readonly WrittenStep[], length: number, uses: Uses) {
  const eachOf = (count: number) =>
    new Repetition(
      Array.from({ length: count }, (_, index) => steps.slice(index * length, (index + 1) * length)),
      uses,
    ).step()
  let [count, most] = [FEWEST_ITEMS, Math.floor(steps.length / length)]
  let step = eachOf(count)
  while (step !== undefined && count < most) {
    const middle = Math.ceil((count + most) / 2)
    const more = eachOf(middle)
    if (more === undefined) most = middle - 1
    else [step, count] = [more, middle]
  }
  return step && { step, count }
}

/** Steps that may be the same several times over. */
class Repetition {
  readonly #blocks: readonly WrittenStep[][]
  readonly #uses: Uses
  /** What differs, by the name of its field in an item. */
  readonly #columns = new Map<string, readonly unknown[]>()
  #isAlike = true

  constructor(blocks: readonly WrittenStep[][], uses: Uses) {
    this.#blocks = blocks
    this.#uses = uses
  }

  /** Undefined where the blocks are not the same. */
  step(): WrittenStep | undefined {
    const [first = []] = this.#blocks
    // It begins with a request, as the time before it belongs to what came earlier.
    if ('sim' in first[0]! || !this.#blocks.flat().every(mayBeRepeated)) return undefined
    const blocks = this.#blocks.map((block) => this.#withCommonNames(block))
    if (blocks.includes(undefined)) return undefined
    const merge = () => this.#merge(blocks as WrittenStep[][])
    merge()
    // How an item is written is known once all columns are.
    return this.#isAlike ? { each: this.#items(), steps: merge() } : undefined
  }

  /**
   * What a block captures for itself has the names of the first block, and a key that only one request has is a new one
   * each time. Undefined where something after the block uses what it captures.
   */
  #withCommonNames(block: WrittenStep[]): WrittenStep[] | undefined {
    const ownUses = usesIn(block)
    const isOwn = (text: string) => ownUses.get(text) === this.#uses.get(text)
    const names = capturedIn(block)
    const common = capturedIn(this.#blocks[0]!)
    if (names.length !== common.length || !names.every((name) => isOwn(`\${${name}}`))) return undefined
    const renamed = new Map(names.map((name, index) => [name, common[index]!]))
    return block.map(({ key, capture, ...step }) => ({
      ...inNames(step, renamed),
      ...(key !== undefined && {
        key: ownUses.get(String(key)) === 1 && isOwn(String(key)) ? '${uuid}' : key,
      }),
      ...(isObject(capture) && {
        capture: Object.fromEntries(
          Object.entries(capture).map(([name, path]) => [renamed.get(name) ?? name, path]),
        ),
      }),
    }))
  }

  /** What is sent comes first, as an expected value may differ as a sent one does. */
  #merge(blocks: readonly WrittenStep[][]): WrittenStep[] {
    const [first = []] = blocks
    const stepsAt = (index: number) => blocks.map((block) => block[index]!)
    const sent = first.map((_, index) =>
      this.#common(
        stepsAt(index).map(({ expect, ...rest }) => rest),
        '',
        (name, values) => name !== 'call' && this.#addColumn(name, values),
      ),
    ) as WrittenStep[]
    return sent.map(({ call, key, capture, ...rest }, index) => ({
      ...(call !== undefined && { call }),
      ...(key !== undefined && { key }),
      ...rest,
      ...('expect' in first[index]! && {
        expect: this.#common(
          stepsAt(index).map(({ expect }) => expect),
          '',
          () => false,
        ),
      }),
      ...(capture !== undefined && { capture }),
    }))
  }

  /** The value that all have in common, with a placeholder for each text or number that differs. */
  #common(
    values: readonly unknown[],
    name: string,
    mayDiffer: (name: string, values: readonly unknown[]) => unknown,
  ): unknown {
    const [first] = values
    if (values.every((value) => value === first)) return first
    if (haveSameKeys(values)) {
      const common = Object.keys(first as object).map((key) => [
        key,
        this.#common(
          values.map((value) => value[key]),
          Array.isArray(first) ? name : key,
          mayDiffer,
        ),
      ])
      return Array.isArray(first) ? common.map(([, value]) => value) : Object.fromEntries(common)
    }
    const isPlain = values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))
    if (isPlain && (this.#columnOf(values) !== undefined || mayDiffer(name, values) !== false)) {
      const column = this.#columnOf(values)
      return this.#columns.size === 1 ? '${item}' : `\${item.${column}}`
    }
    this.#isAlike = false
    return first
  }

  #columnOf(values: readonly unknown[]): string | undefined {
    return [...this.#columns].find(([, column]) =>
      column.every((value, index) => value === values[index]),
    )?.[0]
  }

  #addColumn(field: string, values: readonly unknown[]): void {
    const name = /^[A-Za-z_]\w*$/.test(field) ? field : 'value'
    let unused = name
    for (let number = 2; this.#columns.has(unused); number += 1) unused = `${name}${number}`
    this.#columns.set(unused, values)
  }

  #items(): unknown {
    const columns = [...this.#columns]
    const count = this.#blocks.length
    if (columns.length === 0) return `1..${count}`
    if (columns.length === 1) return columns[0]![1]
    return Array.from({ length: count }, (_, index) =>
      Object.fromEntries(columns.map(([name, values]) => [name, values[index]])),
    )
  }
}

/** A step with an id is repeated by a later one, and of a webhook or the ledger everything is an expectation. */
const mayBeRepeated = (step: WrittenStep) =>
  step.id === undefined && ('call' in step || 'repeat' in step || 'sim' in step)

const capturedIn = (block: readonly WrittenStep[]): string[] =>
  block.flatMap(({ capture }) => (isObject(capture) ? Object.keys(capture) : []))

function haveSameKeys(values: readonly unknown[]): values is Record<string, unknown>[] {
  const [first] = values
  return values.every(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Array.isArray(value) === Array.isArray(first) &&
      Object.keys(value).join('\n') === Object.keys(first as object).join('\n'),
  )
}

/** How often each `${…}` stands in the steps. */
type Uses = ReadonlyMap<string, number>

function usesIn(steps: readonly WrittenStep[]): Uses {
  const uses = new Map<string, number>()
  for (const [text] of JSON.stringify(steps).matchAll(/\$\{[^{}]*\}/g))
    uses.set(text, (uses.get(text) ?? 0) + 1)
  return uses
}

function inNames<Value>(value: Value, names: ReadonlyMap<string, string>): Value {
  const text = JSON.stringify(value).replace(/(?<!\$)\$\{(\w+)\}/g, (whole, name: string) => {
    const renamed = names.get(name)
    return renamed === undefined ? whole : `\${${renamed}}`
  })
  return JSON.parse(text) as Value
}
