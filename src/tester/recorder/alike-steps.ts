/** Compares blocks of steps that differ only in a few values, so that they can be written once. */
import { isObject } from '../../spec/contract/parsed-json.ts'
import { tally } from '../conduct/picture.ts'
import type { WrittenStep } from './session.ts'

/** How often each `${…}` stands in the steps. */
export type Uses = ReadonlyMap<string, number>

/**
 * The common form of several blocks, with a column for each value that differs. Sent values are compared
 * first, because an expected value may only differ where a sent one differs in the same way.
 */
export class AlikeSteps {
  readonly #blocks: readonly (readonly WrittenStep[])[]
  readonly #taken: ReadonlySet<string>
  readonly #columns = new Map<string, readonly unknown[]>()
  #areAlike = true

  /** `taken`: names that a column must not have. */
  constructor(blocks: readonly (readonly WrittenStep[])[], taken: ReadonlySet<string> = new Set()) {
    this.#blocks = blocks
    this.#taken = taken
    this.stepsWith(String)
  }

  /** False if the blocks differ in more than sent values. */
  get areAlike(): boolean {
    return this.#areAlike
  }

  /** The values that differ, one for each block, by the name of their field. */
  get columns(): ReadonlyMap<string, readonly unknown[]> {
    return this.#columns
  }

  /** The common steps; `placeholder` gives the text in place of a column's values. */
  stepsWith(placeholder: (column: string) => string): WrittenStep[] {
    const [first = []] = this.#blocks
    const stepsAt = (index: number) => this.#blocks.map((block) => block[index]!)
    const common = (values: readonly unknown[], isSent: boolean) =>
      this.#common(values, '', isSent, placeholder)
    const sent = first.map((_, index) =>
      common(
        stepsAt(index).map(({ expect, ...rest }) => rest),
        true,
      ),
    ) as WrittenStep[]
    return sent.map(({ call, key, capture, ...rest }, index) => ({
      ...(call !== undefined && { call }),
      ...(key !== undefined && { key }),
      ...rest,
      ...('expect' in first[index]! && {
        expect: common(
          stepsAt(index).map(({ expect }) => expect),
          false,
        ),
      }),
      ...(capture !== undefined && { capture }),
    }))
  }

  /** The value that all have in common, with a placeholder for each text or number that differs. */
  #common(
    values: readonly unknown[],
    name: string,
    isSent: boolean,
    placeholder: (column: string) => string,
  ): unknown {
    const [first] = values
    if (values.every((value) => value === first)) return first
    if (haveSameKeys(values)) {
      const common = Object.keys(first as object).map((key) => [
        key,
        this.#common(
          values.map((value) => value[key]),
          Array.isArray(first) ? name : key,
          isSent,
          placeholder,
        ),
      ])
      return Array.isArray(first) ? common.map(([, value]) => value) : Object.fromEntries(common)
    }
    const isPlain = values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))
    const column = this.#columnOf(values) ?? (isSent && name !== 'call' ? this.#newColumn(name) : undefined)
    if (isPlain && column !== undefined) {
      this.#columns.set(column, values)
      return placeholder(column)
    }
    this.#areAlike = false
    return first
  }

  #columnOf(values: readonly unknown[]): string | undefined {
    return [...this.#columns].find(([, column]) =>
      column.every((value, index) => value === values[index]),
    )?.[0]
  }

  #newColumn(field: string): string {
    const name = /^(?!(?:uuid|env|item|i)$)[A-Za-z_]\w*$/.test(field) ? field : 'value'
    return unusedName(name, (one) => this.#columns.has(one) || this.#taken.has(one))
  }
}

/** The name, with a number behind it if it is used already. */
export function unusedName(name: string, isUsed: (name: string) => boolean): string {
  let unused = name
  for (let number = 2; isUsed(unused); number += 1) unused = `${name}${number}`
  return unused
}

/**
 * Whether a step may be part of a shared block: not one with an id, which a later step repeats, and not a
 * webhook or ledger step, which only expects.
 */
export const mayBeWrittenOnce = (step: WrittenStep): boolean =>
  step.id === undefined && ('call' in step || 'repeat' in step || 'sim' in step)

export const sizeOf = (value: unknown): number => JSON.stringify(value).length

export const capturedIn = (block: readonly WrittenStep[]): string[] =>
  block.flatMap(({ capture }) => (isObject(capture) ? Object.keys(capture) : []))

export function usesIn(steps: readonly WrittenStep[]): Uses {
  return tally([...JSON.stringify(steps).matchAll(/\$\{[^{}]*\}/g)].map(([text]) => text))
}

/** Renames the captures in a block, and their uses. */
export function inNames(block: readonly WrittenStep[], names: ReadonlyMap<string, string>): WrittenStep[] {
  const text = JSON.stringify(block).replace(/(?<!\$)\$\{([\w:]+)\}/g, (whole, name: string) => {
    const renamed = names.get(name)
    return renamed === undefined ? whole : `\${${renamed}}`
  })
  return (JSON.parse(text) as WrittenStep[]).map((step) => {
    if (!isObject(step.capture)) return step
    const captures = Object.entries(step.capture)
    return {
      ...step,
      capture: Object.fromEntries(captures.map(([name, path]) => [names.get(name) ?? name, path])),
    }
  })
}

/** Replaces keys that only one request has by `${uuid}`, so that blocks do not differ in them. */
export const withNewKeys = (block: readonly WrittenStep[], uses: Uses): WrittenStep[] =>
  block.map((step) => (uses.get(String(step.key)) === 1 ? { ...step, key: '${uuid}' } : step))

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
