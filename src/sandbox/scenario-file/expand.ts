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

interface ExpandedFile {
  scenarios: WrittenOut[]
  /** Each setup of the file alone, to be checked whether it is used or not. */
  setups: WrittenOut[]
  problems: OriginProblem[]
  /** Whether the expansion stopped at a limit, so that the scenarios are incomplete. */
  isCut: boolean
}

export function expandFile(source: SourceFile, openFile: OpenFile): ExpandedFile {
  const expander = new Expander(openFile)
  const { content } = source
  if (!isObject(content)) {
    return { scenarios: [expander.whole(source, content, NO_VALUES)], setups: [], problems: [], isCut: false }
  }
  const cases = Array.isArray(content.cases) ? content.cases.filter(isObject) : []
  const setups = isObject(content.setups) ? Object.keys(content.setups) : []
  return {
    scenarios:
      cases.length === 0
        ? [expander.scenario(source, content, NO_VALUES)]
        : cases.map(({ name, ...values }) =>
            expander.scenario(source, content, new Map(Object.entries(values)), String(name)),
          ),
    setups: setups.map((name) => expander.setup(source, name)),
    problems: expander.problems,
    isCut: expander.isFull,
  }
}

const NO_VALUES: KnownValues = new Map()

/** The place being expanded, and the values known there. */
interface Context extends Origin {
  /** The setups around this place, outermost first. */
  setups: readonly string[]
  /** Inside an `each`: the number of the item. */
  row?: number
}

class Expander {
  readonly #problems = new Map<string, OriginProblem>()
  readonly #openFile: OpenFile
  readonly #origins = new WeakMap<object, Origin>()
  #stepCount = 0

  constructor(openFile: OpenFile) {
    this.#openFile = openFile
  }

  get problems(): OriginProblem[] {
    return [...this.#problems.values()]
  }

  whole(source: SourceFile, content: unknown, known: KnownValues, caseName?: string): WrittenOut {
    return {
      content,
      case: caseName,
      isSetup: false,
      originOf: (path) => this.#originOf(path, { source, path: [], known }, content),
    }
  }

  scenario(
    source: SourceFile,
    content: Record<string, unknown>,
    known: KnownValues,
    caseName?: string,
  ): WrittenOut {
    const { cases, setups, steps, ...rest } = content
    const context: Context = { source, path: [], known, setups: [] }
    const whole = {
      ...this.#bound(rest, context),
      ...(cases !== undefined && { cases }),
      ...(setups !== undefined && { setups }),
      ...(steps !== undefined && { steps: this.#steps(steps, { ...context, path: ['steps'] }) }),
    }
    return this.whole(source, whole, known, caseName)
  }

  /**
   * A setup as a separate scenario, to be checked. Its required values are unknown, so a first step captures a value under each
   * of their names.
   */
  setup(source: SourceFile, name: string): WrittenOut {
    const { values } = setupNamed(source, name) ?? {}
    const given = isObject(values) ? Object.entries(values).filter(([, value]) => value === null) : []
    const context: Context = { source, path: ['setups', name], known: NO_VALUES, setups: [] }
    const steps = this.#setupSteps(source, name, new Map(given.map(([one]) => [one, `\${${one}}`])), context)
    const opening = {
      call: 'GET /v1/checkouts',
      capture: Object.fromEntries(given.map(([one]) => [one, '$'])),
    }
    return { ...this.whole(source, { name, steps: [opening, ...steps] }, NO_VALUES), isSetup: true }
  }

  #steps(steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    return steps.flatMap((step, index) =>
      this.isFull ? [] : [this.#step(step, { ...context, path: [...context.path, index] })],
    )
  }

  get isFull(): boolean {
    return this.#stepCount > MAX_STEPS
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
    this.#origins.set(step, { source, path, known })
    return step
  }

  /** A step with its values filled in and the steps inside it expanded. */
  #withSteps(written: Record<string, unknown>, context: Context): object {
    const below = (...keys: string[]): Context => ({ ...context, path: [...context.path, ...keys] })
    if ('each' in written) {
      const { steps, ...rest } = written
      const step = this.#bound(rest, context)
      return steps === undefined ? step : { ...step, steps: this.#repeated(step.each, steps, context) }
    }
    if ('use' in written) return this.#use(written, context)
    if (isObject(written.parallel) && Array.isArray(written.parallel.steps)) {
      const { parallel, ...rest } = written
      const { steps, ...how } = written.parallel
      const inner = this.#bound(how, below('parallel'))
      const expanded =
        'each' in inner
          ? this.#repeated(inner.each, steps, below('parallel'))
          : this.#steps(steps, below('parallel', 'steps'))
      return { ...this.#bound(rest, context), parallel: { ...inner, steps: expanded } }
    }
    const { meanwhile, ...rest } = written
    if (!Array.isArray(meanwhile)) return this.#bound(written, context)
    return { ...this.#bound(rest, context), meanwhile: this.#steps(meanwhile, below('meanwhile')) }
  }

  /** The steps of an `each`, once for each item. */
  #repeated(each: unknown, steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    const path = [...context.path, 'steps']
    if (steps.length === 0) this.#report({ ...context, path }, 'must have a step')
    const items = itemsOf(each)
    if (items === undefined) {
      const why = typeof each === 'string' && each.includes('${') ? ', known before the file is played' : ''
      this.#report({ ...context, path: [...context.path, 'each'] }, `${EACH_RULE}${why}`)
      return []
    }
    return items.flatMap((item, i) => {
      if (this.isFull) return []
      const known = new Map([...context.known, ['item', item], ['i', i]])
      return this.#steps(steps, { ...context, path, known, row: i + 1 }) as unknown[]
    })
  }

  #use(written: Record<string, unknown>, context: Context): object {
    const step = this.#bound(written, context)
    const { use, with: given } = step
    if (typeof use !== 'string') return { ...step, steps: [] }
    const values = new Map(isObject(given) ? Object.entries(given) : [])
    const { source, name } = this.#setupOf(use, context) ?? {}
    return { ...step, steps: source && name ? this.#setupSteps(source, name, values, context) : [] }
  }

  /** Finds the setup that a `use` names: `name` in this file, or `file.yaml#name` in another one. */
  #setupOf(use: string, context: Context): { source: SourceFile; name: string } | undefined {
    const [name = '', file] = use.split('#').reverse()
    const at = { ...context, path: [...context.path, 'use'] }
    let source = context.source
    if (file !== undefined) {
      try {
        source = this.#openFile(file, context.source)
      } catch (error) {
        this.#report(at, `names ${file}, but ${(error as Error).message}`)
        return undefined
      }
    }
    const known = isObject(source.content) && isObject(source.content.setups) ? source.content.setups : {}
    if (isObject(known[name])) return { source, name }
    const meant = didYouMean(name, Object.keys(known))
    const where = file === undefined ? 'the file' : file
    this.#report(at, `names no setup of ${where}: ${name}${meant}`)
    return undefined
  }

  #setupSteps(
    source: SourceFile,
    name: string,
    given: ReadonlyMap<string, unknown>,
    context: Context,
  ): unknown[] {
    const place = `${source.file}#${name}`
    if (context.setups.includes(place)) {
      const circle = [...context.setups, place].map((one) => one.slice(one.lastIndexOf('#') + 1))
      this.#report(
        { ...context, path: [...context.path, 'use'] },
        `goes in a circle: ${circle.join(' uses ')}`,
      )
      return []
    }
    const setup = setupNamed(source, name) ?? {}
    if (setup.steps === undefined) this.#report({ source, path: ['setups', name, 'steps'] }, 'is missing')
    const defaults = isObject(setup.values) ? setup.values : {}
    const known = new Map(Object.entries(defaults))
    for (const [one, value] of given) {
      if (!Object.hasOwn(defaults, one)) {
        const meant = didYouMean(one, Object.keys(defaults))
        this.#report(
          { ...context, path: [...context.path, 'with', one] },
          `is not a value of ${name}${meant || `; known are ${Object.keys(defaults).join(', ') || 'none'}`}`,
        )
      }
      known.set(one, value)
    }
    for (const [one, value] of known) {
      if (value === null) this.#report(context, `must pass ${name} its value ${one}: with: { ${one}: … }`)
    }
    const inside = { source, path: ['setups', name, 'steps'], known, setups: [...context.setups, place] }
    const steps = this.#steps(setup.steps, inside)
    return Array.isArray(steps) ? steps : []
  }

  #bound(value: Record<string, unknown>, context: Context): Record<string, unknown>
  #bound(value: unknown, context: Context): unknown
  #bound(value: unknown, context: Context): unknown {
    return bind(value, context.known, (path, predicate) =>
      this.#report({ ...context, path: [...context.path, ...path] }, predicate),
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

  /** The place in the file: that of the innermost step on the path, and the rest of the path below it. */
  #originOf(path: readonly PropertyKey[], outermost: Origin, content: unknown): Origin {
    let origin = outermost
    let value = content
    for (const key of path) {
      value =
        isObject(value) || Array.isArray(value) ? (value as Record<PropertyKey, unknown>)[key] : undefined
      const known = isObject(value) ? this.#origins.get(value) : undefined
      origin = known ?? { ...origin, path: [...origin.path, key] }
    }
    return origin
  }
}

const setupNamed = ({ content }: SourceFile, name: string): Record<string, unknown> | undefined => {
  const setups = isObject(content) && isObject(content.setups) ? content.setups : {}
  const setup = Object.hasOwn(setups, name) ? setups[name] : undefined
  return isObject(setup) ? setup : undefined
}
