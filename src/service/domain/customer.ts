import type { Customer } from '../../spec/contract/customer.ts'
import { externalIdTaken } from '../../spec/contract/errors.ts'

type New = Pick<Customer, 'id' | 'externalId' | 'name' | 'email' | 'phone'>

/** §4: an external ID belongs to one customer; the 409 for a second one has the first one's id (D4). */
export function requireFreeExternalId(taken: Customer | undefined): void {
  if (taken) throw externalIdTaken(taken.id)
}

export const createCustomer = (request: New, now: number): Customer => ({
  ...request,
  createdAt: now,
  updatedAt: now,
})
