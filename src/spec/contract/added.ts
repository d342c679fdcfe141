/**
 * Fields stored as rows of the table `added` instead of in a column: the maps, numbers, times and booleans of a definition, and every
 * field that a profile adds. An added field behaves like a field of a definition.
 */
import { z } from 'zod'
import { Amount } from './money.ts'
import { isObject, jsonIn } from './parsed-json.ts'
import { FieldName, Word } from './profile-values.ts'
import { field, type ResourceField } from './resources/field.ts'
import type { FieldTable } from './resources/resource.ts'
import { oneOf } from './wire.ts'

const TYPES = ['text', 'number', 'amount', 'time', 'boolean', 'map'] as const
const TYPE_RULE = `must be ${TYPES.slice(0, -1).join(', ')} or ${TYPES.at(-1)}, or a list of words`

const Addition = z.strictObject(
  {
    type: z
      .union([z.enum(TYPES), z.array(Word).min(1)], TYPE_RULE)
      .describe('The type of its values; map: an object of texts; a list: one of these words'),
    sent: oneOf(['optional', 'required'])
      .optional()
      .describe('Whether the request that creates the resource may or must have it; default: optional'),
    filter: z.boolean().optional().describe('Whether lists can be filtered by it'),
    search: z.boolean().optional().describe('Whether the search of the tester finds it'),
  },
  'must be a field such as { type: text, filter: true }',
)
type Addition = z.infer<typeof Addition>

/** zod would ignore a field called `__proto__`. */
export const Additions = z
  .unknown()
  .refine((given) => !isObject(given) || !Object.hasOwn(given, '__proto__'), 'must not have __proto__')
  .pipe(
    z.record(FieldName, Addition, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'must have a camelCase name'
          : 'must be fields such as { poNumber: { type: text } }',
    }),
  )
export type Additions = Readonly<Record<string, Addition>>

export interface AddedField extends Pick<Addition, 'type' | 'filter' | 'search'> {
  readonly name: string
  readonly field: ResourceField
}

/** The stored fields of a kind: those of its definition, then those that the profile adds. */
export const addedFields = (defined: FieldTable, additions: Additions): AddedField[] => [
  ...Object.entries(defined).flatMap(([name, field]) => {
    const { inRows: type, options } = field
    return type ? [{ name, type, filter: !!options.filter, search: !!options.search, field }] : []
  }),
  ...Object.entries(additions).map(([name, addition]) => ({ ...addition, name, field: fieldOf(addition) })),
]

function fieldOf({ type, sent = 'optional' }: Addition): ResourceField {
  // Null even if it is required, because the service creates some resources by itself.
  const options = { sent, nullable: true } as const
  return typeof type === 'string' ? field[type](options) : field.word(oneOf(type), options)
}

/** Added values of one resource, in rows: one for each value, and one more for each key of a map. */
export interface AddedRow {
  name: string
  /** Empty, or a dot and a key of a map. */
  key: string
  value: string
}

/** The rows for the added fields of a body that the schemas have parsed. */
export const addedRows = (fields: readonly AddedField[], body: object): AddedRow[] =>
  fields.flatMap(({ name }) => {
    const value: unknown = Reflect.get(body, name) ?? null
    if (value === null) return []
    if (!isObject(value)) return { name, key: '', value: String(value) }
    const inside = Object.entries(value).map(([key, text]) => ({ name, key: `.${key}`, value: String(text) }))
    return [{ name, key: '', value: '' }, ...inside]
  })

const NUMBERS: readonly unknown[] = ['number', 'amount', 'time']

export const addedValues = (
  fields: readonly AddedField[],
  rows: readonly AddedRow[],
): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(({ name, type }) => {
      const [first, ...inside] = rows.filter((row) => row.name === name)
      if (first === undefined) return [name, null]
      if (type === 'map')
        return [name, Object.fromEntries(inside.map(({ key, value }) => [key.slice(1), value]))]
      if (type === 'boolean') return [name, first.value === 'true']
      return [name, NUMBERS.includes(type) ? Number(first.value) : first.value]
    }),
  )

/** The schema of a filter of a list: it reads the text of the query as the field's value. */
export function filterOf({ type, field: { shown } }: AddedField): z.ZodType {
  const value = shown instanceof z.ZodNullable ? (shown.unwrap() as z.ZodType) : shown
  if (type !== 'number' && type !== 'amount' && type !== 'boolean') return value
  return z
    .string()
    .transform((text): unknown => jsonIn(text) ?? text)
    .pipe(type === 'amount' ? Amount : value)
}
