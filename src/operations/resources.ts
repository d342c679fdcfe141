/** Finds any resource by its id: the prefix of the id says in which table it is. */
import type { ResourceName } from '../contract/event.ts'
import type { IdKind } from '../contract/ids.ts'
import type { Store } from '../store/store.ts'
import type { UnitServices } from './unit.ts'

export interface Resource {
  name: ResourceName
  row: { id: string }
}

const TABLES = {
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

/** The resource as an answer shows it: a checkout's `checkoutUrl` is not stored, because it depends on the simulator's address. */
export const shown = ({ checkoutUrl }: UnitServices, { name, row }: Resource): Resource['row'] =>
  name === 'checkout' ? Object.assign({ checkoutUrl: checkoutUrl(row.id) }, row) : row
