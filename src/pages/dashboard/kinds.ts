/** The kinds of resources, from their definitions and operations. */
import { z } from 'zod'
import type { Contract } from '../../spec/contract/contract.ts'
import { listOfKind } from '../../spec/contract/endpoints.ts'
import { FIELDS } from '../../spec/contract/profile-kinds.ts'
import type { ResourceField } from '../../spec/contract/resources/field.ts'
import { byResource, DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { inputSchema } from '../../spec/options/option.ts'
import type { FieldProps } from '../form.tsx'
import type { FilterField } from './list-page.tsx'

/** `page`: the last part of its list's address. Payment methods have none: they are only listed per customer. */
export const KIND_OF = byResource(({ name, words, path, parent }) => ({
  name,
  words,
  page: parent ? undefined : path,
}))

export type Kind = (typeof KIND_OF)[ResourceName]

/** In display order. */
export const KINDS = Object.values(KIND_OF)

const UNLISTED = ['paymentMethodId', 'paymentMethodType', 'phone']

/** The columns of a list, without long fields, and with one time only; the order's name comes first. */
export function columnsOf(kind: Kind): string[] {
  const defined: Readonly<Record<string, ResourceField>> = DEFINITIONS[kind.name].fields
  const fields = FIELDS[kind.name].filter(
    (field) => !UNLISTED.includes(field) && !defined[field]?.shows && !/(?<!^created)At$|Url$/.test(field),
  )
  return fields.includes('orderId') ? ['orderId', ...fields.filter((field) => field !== 'orderId')] : fields
}

/** The filters of a list: its query parameters. */
export function filtersOf({ name: kind }: Kind, contract: Contract): FilterField[] {
  const query = contract.queryOf(listOfKind(kind), DEFINITIONS[kind].Query) as z.ZodObject
  return Object.entries<z.ZodType>(query.shape)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .map(([name, schema]) => ({ name, label: name, ...inputOf(schema) }))
}

/** The field for an option: its choices, yes or no, a number, a key of a map, or any text. */
export function inputOf(schema: z.ZodType): Pick<FieldProps, 'options' | 'type'> & { placeholder?: string } {
  const value = inputSchema(schema)
  if (value instanceof z.ZodEnum) return { options: value.options.map(String) }
  if (value instanceof z.ZodCustom) return { placeholder: 'key=value' }
  if (value instanceof z.ZodBoolean)
    return {
      options: [
        ['false', 'no'],
        ['true', 'yes'],
      ],
    }
  return value instanceof z.ZodNumber ? { type: 'number' } : {}
}
