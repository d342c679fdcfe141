import type { Customer } from '../contract/customer.ts'
import { externalIdTaken } from '../contract/errors.ts'

type New = Pick<Customer, 'id' | 'externalId' | 'name' | 'email' | 'phone'>

/** §4: the external ID names one customer; the refusal of a second one says which (D4). */
export function requireFreeExternalId(taken: Customer | undefined): void {
  if (taken) throw externalIdTaken(taken.id)
}

export const createCustomer = (request: New, now: number): Customer => ({
  ...request,
  createdAt: now,
  updatedAt: now,
})
