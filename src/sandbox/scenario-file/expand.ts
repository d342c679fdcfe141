/**
 * Expands a file: each of its `cases` becomes a scenario, an `each` its steps once per item, and a `use` the steps of the setup,
 * all with their values filled in. Only this form is checked and played; each step knows its place in the file.
 */
import { isObject } from '../../spec/contract/parsed-json.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import type { FileProblem } from './file-problem.ts'
import { bind, type KnownValues } from './placeholder.ts'
import type { SourceFile } from './source-file.ts'
import { EACH_RULE, itemsOf } from './step.ts'

/** Enough for 1,000 items of a few steps. Nested lists, and setups that use each other twice, could multiply without end. */
const MAX_STEPS = 10_000

/** A place in a file, as its author wrote it. */
export interface Origin {
  source: SourceFile
  path: PropertyKey[]
  /** The values available to a placeholder there, besides captured ones: of a case, an item or a setup. */
  known: KnownValues
}

export type OriginProblem = FileProblem & Pick<Origin, 'source'>

/** Opens the file that a `use` names; throws the reason if it cannot. */
export type OpenFile = (name: string, from: SourceFile) => SourceFile

/** One scenario of a file. */
export interface WrittenOut {
  content: unknown
  /** The name of its case, in a file with cases. */
  case: string | undefined
  /** True for a setup that is checked alone, outside of a scenario. */
  isSetup: boolean
  /** The place in the file of a path in `content`. */
  originOf(path: readonly PropertyKey[]): Origin
}

/** The place being expanded, and the values known there. */
interface Context extends Origin {
  /** The setups around this place, outermost first. */
  setups: readonly string[]
  /** Inside an `each`: the number of the item. */
  row?: number
}

const NO_VALUES: KnownValues = new Map()

export class ExpandedFile {
  readonly scenarios: readonly WrittenOut[]
  /** Each setup of the file alone, to be checked whether it is used or not. */
  readonly setups: readonly WrittenOut[]
  readonly #problems = new Map<string, OriginProblem>()
  readonly #openFile: OpenFile
  readonly #origins = new WeakMap<object, Origin>()
  #stepCount = 0

  constructor(source: SourceFile, openFile: OpenFile) {
    this.#openFile = openFile
    const { cases } = fieldsOf(source.content)
    const rows = Array.isArray(cases) ? cases.filter(isObject) : []
    this.scenarios =
      rows.length === 0
        ? [this.#scenario(source)]
        : rows.map(({ name, ...values }) =>
            this.#scenario(source, String(name), new Map(Object.entries(values))),
          )
    this.setups = [...setupsOf(source).keys()].map((name) => this.#setup(source, name))
  }

  get problems(): OriginProblem[] {
    return [...this.#problems.values()]
  }

  /** Whether the expansion stopped at a limit, so that the scenarios are incomplete. */
  get isCut(): boolean {
    return this.#stepCount > MAX_STEPS
  }

  #scenario(source: SourceFile, caseName?: string, known = NO_VALUES): WrittenOut {
    const origin = { source, path: [], known }
    if (!isObject(source.content)) return this.#writtenOut(source.content, origin)
    const { cases, setups, steps, ...rest } = source.content
    const context = { ...origin, setups: [] }
    const bound = this.#bound(rest, context) as object
    const expanded = this.#steps(steps, { ...context, path: ['steps'] })
    return this.#writtenOut({ ...bound, cases, setups, steps: expanded }, origin, caseName)
  }

  /**
   * A setup as a separate scenario, to be checked. Its required values are unknown, so a first step captures a value under each
   * of their names.
   */
  #setup(source: SourceFile, name: string): WrittenOut {
    const values = Object.entries(fieldsOf(setupsOf(source).get(name)?.values))
    const required = values.flatMap(([value, given]) => (given === null ? [value] : []))
    const context = { source, path: ['setups', name], known: NO_VALUES, setups: [] }
    const given = Object.fromEntries(required.map((value) => [value, `\${${value}}`]))
    const capture = Object.fromEntries(required.map((value) => [value, '$']))
    const steps = [{ call: 'GET /v1/checkouts', capture }, ...this.#setupSteps(source, name, given, context)]
    return { ...this.#writtenOut({ name, steps }, { ...context, path: [] }), isSetup: true }
  }

  #writtenOut(content: unknown, outermost: Origin, caseName?: string): WrittenOut {
    const originOf = (path: readonly PropertyKey[]) => {
      let origin = outermost
      let value = content
      for (const key of path) {
        value = typeof value === 'object' ? (value as Record<PropertyKey, unknown> | null)?.[key] : undefined
        const known = isObject(value) ? this.#origins.get(value) : undefined
        origin = known ?? { ...origin, path: [...origin.path, key] }
      }
      return origin
    }
    return { content, case: caseName, isSetup: false, originOf }
  }

  #steps(steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    return steps.flatMap((step, index) =>
      this.isCut ? [] : [this.#step(step, { ...context, path: [...context.path, index] })],
    )
  }

  #step(written: unknown, context: Context): unknown {
    if (!isObject(written)) return this.#bound(written, context)
    const { source, path, known } = context
    this.#stepCount += 1
    if (this.#stepCount === MAX_STEPS + 1) {
      this.#report(
        context,
        `is one step too many: with all cases, each and use expanded, the file has more than ${MAX_STEPS}`,
      )
    }
    const step = this.#withSteps(written, context)
    if ('use' in step) step.steps = this.#usedSteps(step, context)
    this.#origins.set(step, { source, path, known })
    return step
  }

  /** A step, or the `parallel` of one, with its values filled in and the steps inside it expanded. */
  #withSteps(written: Record<string, unknown>, context: Context): Record<string, unknown> {
    const expanded = Object.entries(written).map(([key, value]) => {
      const inside = below(context, key)
      if (key === 'parallel' && isObject(value)) return [key, this.#withSteps(value, inside)]
      if (key === 'steps' && 'each' in written) return [key, this.#repeated(written.each, value, context)]
      if (key === 'steps' || key === 'meanwhile') return [key, this.#steps(value, inside)]
      return [key, this.#bound(value, inside)]
    })
    return Object.fromEntries(expanded)
  }

  /** The steps of an `each`, once for each item. */
  #repeated(each: unknown, steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    const inside = below(context, 'steps')
    if (steps.length === 0) this.#report(inside, 'must have a step')
    const list = this.#bound(each, below(context, 'each'))
    const items = itemsOf(list)
    if (items === undefined) {
      const why = typeof list === 'string' && list.includes('${') ? ', known before the file is played' : ''
      this.#report(below(context, 'each'), `${EACH_RULE}${why}`)
      return []
    }
    return items.flatMap((item, i) => {
      const known = new Map([...context.known, ['item', item], ['i', i]])
      return this.#steps(steps, { ...inside, known, row: i + 1 })
    })
  }

  /** The steps of the setup that a `use` names: `name` in this file, or `file.yaml#name` in another one. */
  #usedSteps({ use, with: given }: Record<string, unknown>, context: Context): unknown[] {
    if (typeof use !== 'string') return []
    const [name = '', file] = use.split('#').reverse()
    const at = below(context, 'use')
    let { source } = context
    try {
      if (file !== undefined) source = this.#openFile(file, source)
    } catch (error) {
      this.#report(at, `names ${file}, but ${(error as Error).message}`)
      return []
    }
    const setups = setupsOf(source)
    if (setups.has(name)) return this.#setupSteps(source, name, fieldsOf(given), context)
    const meant = didYouMean(name, setups.keys())
    this.#report(at, `names no setup of ${file ?? 'the file'}: ${name}${meant}`)
    return []
  }

  #setupSteps(
    source: SourceFile,
    name: string,
    given: Readonly<Record<string, unknown>>,
    context: Context,
  ): unknown[] {
    const setups = [...context.setups, `${source.file}#${name}`]
    if (new Set(setups).size < setups.length) {
      const circle = setups.map((place) => place.slice(place.lastIndexOf('#') + 1))
      this.#report(below(context, 'use'), `goes in a circle: ${circle.join(' uses ')}`)
      return []
    }
    const { values, steps } = setupsOf(source).get(name) ?? {}
    const path = ['setups', name, 'steps']
    if (steps === undefined) this.#report({ source, path }, 'is missing')
    const defaults = fieldsOf(values)
    const names = Object.keys(defaults)
    for (const value of Object.keys(given)) {
      if (names.includes(value)) continue
      const meant = didYouMean(value, names) || `; known are ${names.join(', ') || 'none'}`
      this.#report(below(below(context, 'with'), value), `is not a value of ${name}${meant}`)
    }
    const known = new Map(Object.entries({ ...defaults, ...given }))
    for (const [value, filled] of known)
      if (filled === null)
        this.#report(context, `must pass ${name} its value ${value}: with: { ${value}: … }`)
    const expanded = this.#steps(steps, { source, path, known, setups })
    return Array.isArray(expanded) ? expanded : []
  }

  #bound(value: unknown, context: Context): unknown {
    return bind(value, context.path, context.known, (path, predicate) =>
      this.#report({ ...context, path }, predicate),
    )
  }

  /**
   * The same problem in several rows of an `each` is reported once, for the first row that has it, because usually all rows do.
   */
  #report({ source, path, row = 1 }: Pick<Context, 'source' | 'path' | 'row'>, predicate: string): void {
    const key = JSON.stringify([source.file, path, predicate])
    if (this.#problems.has(key)) return
    const inRow = row === 1 ? '' : ` (row ${row})`
    this.#problems.set(key, { source, path, of: 'value', predicate: predicate + inRow })
  }
}

const below = (context: Context, key: string): Context => ({ ...context, path: [...context.path, key] })

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

const setupsOf = ({ content }: SourceFile): ReadonlyMap<string, Record<string, unknown>> =>
  new Map(
    Object.entries(fieldsOf(fieldsOf(content).setups)).flatMap(([name, setup]) =>
      isObject(setup) ? [[name, setup]] : [],
    ),
  )
