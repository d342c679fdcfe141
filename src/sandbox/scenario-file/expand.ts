/**
 * Expands a file: each of its `cases` becomes a scenario, an `each` its steps once per item, and a `use` the steps of the setup,
 * all with their values filled in. Only this form is checked and played; each step knows its place in the file.
 */
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
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

/**
 * The scenarios of a file, and each of its setups alone, to be checked whether it is used or not. A file that `isCut` has more steps
 * than the limit, so its scenarios are incomplete.
 */
export function expandFile(source: SourceFile, openFile: OpenFile) {
  const problems = new Map<string, OriginProblem>()
  const origins = new WeakMap<object, Origin>()
  let stepCount = 0
  const isCut = () => stepCount > MAX_STEPS

  const { cases } = fieldsOf(source.content)
  const rows = Array.isArray(cases) ? cases.filter(isObject) : []
  const scenarios =
    rows.length === 0
      ? [scenarioOf()]
      : rows.map(({ name, ...values }) => scenarioOf(String(name), new Map(Object.entries(values))))
  const setups = [...setupsOf(source).keys()].map(setupAlone)
  return { scenarios, setups, problems: [...problems.values()], isCut: isCut() }

  function scenarioOf(caseName?: string, known = NO_VALUES): WrittenOut {
    const origin = { source, path: [], known }
    if (!isObject(source.content)) return writtenOut(source.content, origin)
    const { cases, setups, steps, ...rest } = source.content
    const context = { ...origin, setups: [] }
    const others = bound(rest, context) as object
    const expanded = expandSteps(steps, { ...context, path: ['steps'] })
    return writtenOut({ ...others, cases, setups, steps: expanded }, origin, caseName)
  }

  /**
   * A setup as a separate scenario, to be checked. Its required values are unknown, so a first step captures a value under each
   * of their names.
   */
  function setupAlone(name: string): WrittenOut {
    const values = Object.entries(fieldsOf(setupsOf(source).get(name)?.values))
    const required = values.flatMap(([value, given]) => (given === null ? [value] : []))
    const context = { source, path: ['setups', name], known: NO_VALUES, setups: [] }
    const given = Object.fromEntries(required.map((value) => [value, `\${${value}}`]))
    const capture = Object.fromEntries(required.map((value) => [value, '$']))
    const steps = [{ call: 'GET /v1/checkouts', capture }, ...setupSteps(source, name, given, context)]
    return { ...writtenOut({ name, steps }, { ...context, path: [] }), isSetup: true }
  }

  function writtenOut(content: unknown, outermost: Origin, caseName?: string): WrittenOut {
    const originOf = (path: readonly PropertyKey[]) => {
      let origin = outermost
      let value = content
      for (const key of path) {
        value = valueAt(value, [key])
        const known = isObject(value) ? origins.get(value) : undefined
        origin = known ?? { ...origin, path: [...origin.path, key] }
      }
      return origin
    }
    return { content, case: caseName, isSetup: false, originOf }
  }

  function expandSteps(steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    return steps.flatMap((step, index) =>
      isCut() ? [] : [expandStep(step, { ...context, path: [...context.path, index] })],
    )
  }

  function expandStep(written: unknown, context: Context): unknown {
    if (!isObject(written)) return bound(written, context)
    const { source, path, known } = context
    stepCount += 1
    if (stepCount === MAX_STEPS + 1) {
      report(
        context,
        `is one step too many: with all cases, each and use expanded, the file has more than ${MAX_STEPS}`,
      )
    }
    const step = withSteps(written, context)
    if ('use' in step) step.steps = usedSteps(step, context)
    origins.set(step, { source, path, known })
    return step
  }

  /** A step, or the `parallel` of one, with its values filled in and the steps inside it expanded. */
  function withSteps(written: Record<string, unknown>, context: Context): Record<string, unknown> {
    const expanded = Object.entries(written).map(([key, value]) => {
      const inside = below(context, key)
      if (key === 'parallel' && isObject(value)) return [key, withSteps(value, inside)]
      if (key === 'steps' && 'each' in written) return [key, repeated(written.each, value, context)]
      if (key === 'steps' || key === 'meanwhile') return [key, expandSteps(value, inside)]
      return [key, bound(value, inside)]
    })
    return Object.fromEntries(expanded)
  }

  /** The steps of an `each`, once for each item. */
  function repeated(each: unknown, steps: unknown, context: Context): unknown {
    if (!Array.isArray(steps)) return steps
    const inside = below(context, 'steps')
    if (steps.length === 0) report(inside, 'must have a step')
    const list = bound(each, below(context, 'each'))
    const items = itemsOf(list)
    if (items === undefined) {
      const why = typeof list === 'string' && list.includes('${') ? ', known before the file is played' : ''
      report(below(context, 'each'), `${EACH_RULE}${why}`)
      return []
    }
    return items.flatMap((item, i) => {
      const known = new Map([...context.known, ['item', item], ['i', i]])
      return expandSteps(steps, { ...inside, known, row: i + 1 })
    })
  }

  /** The steps of the setup that a `use` names: `name` in this file, or `file.yaml#name` in another one. */
  function usedSteps({ use, with: given }: Record<string, unknown>, context: Context): unknown[] {
    if (typeof use !== 'string') return []
    const [name = '', file] = use.split('#').reverse()
    const at = below(context, 'use')
    let { source } = context
    try {
      if (file !== undefined) source = openFile(file, source)
    } catch (error) {
      report(at, `names ${file}, but ${(error as Error).message}`)
      return []
    }
    const setups = setupsOf(source)
    if (setups.has(name)) return setupSteps(source, name, fieldsOf(given), context)
    const meant = didYouMean(name, setups.keys())
    report(at, `names no setup of ${file ?? 'the file'}: ${name}${meant}`)
    return []
  }

  function setupSteps(
    source: SourceFile,
    name: string,
    given: Readonly<Record<string, unknown>>,
    context: Context,
  ): unknown[] {
    const setups = [...context.setups, `${source.file}#${name}`]
    if (new Set(setups).size < setups.length) {
      const circle = setups.map((place) => place.slice(place.lastIndexOf('#') + 1))
      report(below(context, 'use'), `goes in a circle: ${circle.join(' uses ')}`)
      return []
    }
    const { values, steps } = setupsOf(source).get(name) ?? {}
    const path = ['setups', name, 'steps']
    if (steps === undefined) report({ source, path }, 'is missing')
    const defaults = fieldsOf(values)
    const names = Object.keys(defaults)
    for (const value of Object.keys(given)) {
      if (names.includes(value)) continue
      const meant = didYouMean(value, names) || `; known are ${names.join(', ') || 'none'}`
      report(below(below(context, 'with'), value), `is not a value of ${name}${meant}`)
    }
    const known = new Map(Object.entries({ ...defaults, ...given }))
    for (const [value, filled] of known)
      if (filled === null) report(context, `must pass ${name} its value ${value}: with: { ${value}: … }`)
    const expanded = expandSteps(steps, { source, path, known, setups })
    return Array.isArray(expanded) ? expanded : []
  }

  function bound(value: unknown, context: Context): unknown {
    return bind(value, context.path, context.known, (path, predicate) =>
      report({ ...context, path }, predicate),
    )
  }

  /**
   * The same problem in several rows of an `each` is reported once, for the first row that has it, because usually all rows do.
   */
  function report(
    { source, path, row = 1 }: Pick<Context, 'source' | 'path' | 'row'>,
    predicate: string,
  ): void {
    const key = JSON.stringify([source.file, path, predicate])
    if (problems.has(key)) return
    const inRow = row === 1 ? '' : ` (row ${row})`
    problems.set(key, { source, path, of: 'value', predicate: predicate + inRow })
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
