/** Finds any resource by its id: the prefix of the id says in which table it is. */
import type { Checkout } from '../../spec/contract/checkout.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { IdKind } from '../../spec/contract/ids.ts'
import type { Store } from '../store/store.ts'
import { withUrl } from './checkouts.ts'
import type { UnitServices } from './unit.ts'

export interface Resource {
  name: ResourceName
  row: { id: string }
}

/** The table of each kind. */
export const TABLES = {
  checkout: 'checkouts',
  authorization: 'authorizations',
  refund: 'refunds',
  customer: 'customers',
  payment_method: 'paymentMethods',
} as const satisfies Record<ResourceName, keyof Store>

const isResource = (kind: IdKind | undefined): kind is ResourceName => kind !== undefined && kind in TABLES

export function findResource({ store, contract }: UnitServices, id: string): Resource | null {
  const name = contract.kindOf(id)
  if (!isResource(name)) return null
  const row = store[TABLES[name]].find(id)
  return row ? { name, row } : null
}

/** The resource as an answer shows it. */
export const shown = (services: UnitServices, { name, row }: Resource): Resource['row'] =>
  name === 'checkout' ? withUrl(services, row as Checkout) : row
