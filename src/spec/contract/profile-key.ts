/** The parts of the profile's table (profile-table.ts): keys, and sections of keys. */
import type { z } from 'zod'
import type { DecisionId } from './decisions.ts'

/** Rules between a key's value and the values of other keys; each is a row of contradictions.ts. */
export type Conflict =
  | 'prefixes'
  | 'states'
  | 'events'
  | 'fields of a page'
  | 'parameters of a page'
  | 'sizes of a page'
  | 'paths'
  | 'words of a text'
  | 'fields'
  | 'added fields'
  | 'names of fields'
  | 'headers of an answer'
  | 'headers of a signature'

export interface AboutKey {
  /**
   * Whether `fidelity` learns its value: from the tour; only from some services, or from other requests; or never, because no
   * response reveals it.
   */
  readonly learned: 'tour' | 'sometimes' | 'never'
  /** The rule between its value and those of other keys; `none` if there is none. */
  readonly conflict: Conflict | 'none'
}

export const IN_TOUR = { learned: 'tour', conflict: 'none' } as const

/** A key with one value. */
export interface KeyDefinition<Value> extends AboutKey {
  readonly decision: DecisionId
  readonly help: string
  readonly schema: z.ZodType<Value>
  readonly fallback: Value
}

export type Parts = { readonly [Name: string]: KeyDefinition<unknown> | SectionDefinition<Parts> }

/** A named section of keys and further sections. */
export interface SectionDefinition<Inner extends Parts> {
  /** Shown by editors, through the JSON Schema. */
  readonly help: string
  readonly parts: Inner
}

export const isKey = (part: Parts[string]): part is KeyDefinition<unknown> => !('parts' in part)

export const key = <Value>(
  decision: DecisionId,
  help: string,
  schema: z.ZodType<Value>,
  fallback: NoInfer<Value>,
  about: AboutKey,
): KeyDefinition<Value> => ({ decision, help, schema, fallback, ...about })

export const section = <Inner extends Parts>(help: string, parts: Inner): SectionDefinition<Inner> => ({
  help,
  parts,
})

/**
 * A section with one key for each entry of a table; the table's values are the defaults. Some keys may be learned only
 * `sometimes`.
 */
export const keysOf = <Name extends string, Value>(
  help: string,
  defaults: Readonly<Record<Name, Value>>,
  decision: DecisionId,
  schema: z.ZodType<Value>,
  helpOf: (name: Name) => string,
  about: AboutKey,
  sometimes: readonly NoInfer<Name>[] = [],
): SectionDefinition<Record<Name, KeyDefinition<Value>>> => {
  const keys = (Object.entries(defaults) as [Name, Value][]).map(([name, value]) => [
    name,
    key(decision, helpOf(name), schema, value, {
      ...about,
      learned: sometimes.includes(name) ? 'sometimes' : about.learned,
    }),
  ])
  return section(help, Object.fromEntries(keys) as Record<Name, KeyDefinition<Value>>)
}

/** Every key and section of such a table, with dots. */
export type NameIn<Inner> = {
  [Name in keyof Inner & string]:
    | Name
    | (Inner[Name] extends SectionDefinition<infer Parts> ? `${Name}.${NameIn<Parts>}` : never)
}[keyof Inner & string]

/** Every key of such a table with its value. */
export type ValuesOf<Inner> = { readonly [Name in keyof Inner]: ValueOf<Inner[Name]> }
type ValueOf<Part> =
  Part extends KeyDefinition<infer Value>
    ? Value
    : Part extends SectionDefinition<infer Inner>
      ? ValuesOf<Inner>
      : never
