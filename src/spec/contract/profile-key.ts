/** What the table of a profile's keys (profile-table.ts) is made of: keys, and sections of keys. */
import type { z } from 'zod'
import type { Decision } from './decisions.ts'

/** One value that can be given. */
export class KeyDefinition<Value> {
  readonly decision: Decision['id']
  readonly help: string
  readonly schema: z.ZodType<Value>
  readonly fallback: Value

  constructor(decision: Decision['id'], help: string, schema: z.ZodType<Value>, fallback: Value) {
    this.decision = decision
    this.help = help
    this.schema = schema
    this.fallback = fallback
  }
}

export type Parts = { readonly [Name: string]: KeyDefinition<unknown> | SectionDefinition<Parts> }

/** Keys and sections under one name. */
export class SectionDefinition<Inner extends Parts> {
  /** What editors show. */
  readonly help: string
  readonly parts: Inner

  constructor(help: string, parts: Inner) {
    this.help = help
    this.parts = parts
  }
}

export const key = <Value>(
  decision: Decision['id'],
  help: string,
  schema: z.ZodType<Value>,
  fallback: NoInfer<Value>,
): KeyDefinition<Value> => new KeyDefinition(decision, help, schema, fallback)

export const section = <Inner extends Parts>(help: string, parts: Inner): SectionDefinition<Inner> =>
  new SectionDefinition(help, parts)

/** A section with a key for each name of a table that has the defaults already. */
export const keysOf = <Name extends string, Value>(
  help: string,
  defaults: Readonly<Record<Name, Value>>,
  decision: Decision['id'],
  schema: z.ZodType<Value>,
  helpOf: (name: Name) => string,
): SectionDefinition<Record<Name, KeyDefinition<Value>>> => {
  const keys = (Object.entries(defaults) as [Name, Value][]).map(([name, value]) => [
    name,
    key(decision, helpOf(name), schema, value),
  ])
  return section(help, Object.fromEntries(keys) as Record<Name, KeyDefinition<Value>>)
}

/** Every key of such a table with its value. */
export type ValuesOf<Inner> = { readonly [Name in keyof Inner]: ValueOf<Inner[Name]> }
type ValueOf<Part> =
  Part extends KeyDefinition<infer Value>
    ? Value
    : Part extends SectionDefinition<infer Inner>
      ? ValuesOf<Inner>
      : never
