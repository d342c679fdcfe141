/** Any resource by its id, whose prefix tells the kind, for whoever looks at all of them alike. */
import type { ResourceName } from '../contract/event.ts'
import type { Store } from '../store/store.ts'
import type { UnitServices } from './unit.ts'

export interface Resource {
  name: ResourceName
  row: { id: string }
}

const TABLES = {
  chk: ['checkout', 'checkouts'],
  auth: ['authorization', 'authorizations'],
  ref: ['refund', 'refunds'],
  cus: ['customer', 'customers'],
  pm: ['payment_method', 'paymentMethods'],
} as const satisfies Record<string, [ResourceName, keyof Store]>

export function findResource(store: Store, id: string): Resource | null {
  const prefix = id.slice(0, id.indexOf('_'))
  if (!Object.hasOwn(TABLES, prefix)) return null
  const [name, rows] = TABLES[prefix as keyof typeof TABLES]
  const row = store[rows].find(id)
  return row ? { name, row } : null
}

/** The resource as it is shown: the address of a checkout's page depends on where this simulator can be reached. */
export const shown = ({ checkoutUrl }: UnitServices, { name, row }: Resource): Resource['row'] =>
  name === 'checkout' ? Object.assign({ checkoutUrl: checkoutUrl(row.id) }, row) : row
