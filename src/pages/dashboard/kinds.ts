/** The kinds of resources. Columns, filters and states come from the tables of operations and domain. */
import { z } from 'zod'
import type { Moves } from '../../service/domain/moves.ts'
import { MOVES } from '../../service/domain/states.ts'
import { operationById } from '../../service/operations/table.ts'
import { listOfKind } from '../../spec/contract/endpoints.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { FilterField } from './filter.tsx'

interface KindWords {
  one: string
  title: string
  /** The last part of the address of its list. Payment methods have none: only those of one customer are listed. */
  page?: string
  explanation: string
}

export interface Kind extends KindWords {
  name: ResourceName
  /** Left out where a kind has one state only. */
  moves?: Moves<string, string>
}

const WORDS: Readonly<Record<ResourceName, KindWords>> = {
  checkout: {
    one: 'Checkout',
    title: 'Checkouts',
    page: 'checkouts',
    explanation: 'A platform asks a business to pay: POST /v1/checkouts.',
  },
  authorization: {
    one: 'Authorization',
    title: 'Authorizations',
    page: 'authorizations',
    explanation: 'A platform reserves money of a customer: POST /v1/authorizations.',
  },
  refund: {
    one: 'Refund',
    title: 'Refunds',
    page: 'refunds',
    explanation: 'A platform pays back money of a confirmed checkout: POST /v1/checkouts/{id}/refunds.',
  },
  customer: {
    one: 'Customer',
    title: 'Customers',
    page: 'customers',
    explanation:
      'A business that pays. It is created with its first confirmed checkout, or by POST /v1/customers.',
  },
  payment_method: {
    one: 'Payment method',
    title: 'Payment methods',
    explanation:
      'A card or a bank account of a customer. Staging adds a test card to a customer that has none.',
  },
}

/** In the order in which pages show them. */
export const KINDS: readonly Kind[] = (Object.keys(WORDS) as ResourceName[]).map((name) => {
  const moves = MOVES[name]
  return { name, ...WORDS[name], ...(Object.keys(moves).length > 0 && { moves }) }
})

export const kindOf = (name: ResourceName): Kind => KINDS.find((kind) => kind.name === name)!

const operationOf = (kind: Kind) => operationById(listOfKind(kind.name))

/** Fields that lists leave out: they are the same in each row, or too long. */
const UNLISTED = [
  'currency',
  'successUrl',
  'cancelUrl',
  'checkoutUrl',
  'paymentMethodId',
  'paymentMethodType',
  'card',
  'bankAccount',
  'phone',
]

/** The columns of a list: the fields that its operation answers, with one time only; the order's name comes first. */
export function columnsOf(kind: Kind): string[] {
  const { data } = (operationOf(kind).answer as z.ZodObject).shape
  const item = (data as z.ZodArray).element as z.ZodObject
  const fields = Object.keys(item.shape).filter(
    (field) => !UNLISTED.includes(field) && (field === 'createdAt' || !field.endsWith('At')),
  )
  return fields.includes('orderId') ? ['orderId', ...fields.filter((field) => field !== 'orderId')] : fields
}

/** The filters of a list: the query parameters of its operation. */
export function filtersOf(kind: Kind): FilterField[] {
  const query = operationOf(kind).query as z.ZodObject | undefined
  return Object.entries(query?.shape ?? {})
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .map(([name, schema]) => {
      const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
      return {
        name,
        label: name,
        options: inner instanceof z.ZodEnum ? inner.options.map(String) : undefined,
      }
    })
}
