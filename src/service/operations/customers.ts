/** §4 customers. */

import { externalIdTaken } from '../../spec/contract/errors.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import { type Customer, CustomerCreate } from '../../spec/contract/resources/customer.ts'
import type { NewOf } from '../domain/rows.ts'
import { operation } from './operation.ts'
import { create } from './plain.ts'
import type { Unit } from './unit.ts'

export const postCustomer = operation({
  id: 'customers.create',
  body: CustomerCreate,
  run(unit, { body }) {
    const taken = unit.store.customers.findByExternalId(body.externalId)
    // §4: an external ID belongs to one customer; the 409 for a second one has the first one's id (D4).
    if (taken) throw externalIdTaken(taken.id)
    return addCustomer(unit, body, undefined)
  },
})

/** D29: called when a buyer approves or pays. */
export const findOrCreateCustomer = (
  unit: Unit,
  { id, externalId }: Pick<Checkout, 'id' | 'externalId'>,
  details: Details = {},
): Customer =>
  unit.store.customers.findByExternalId(externalId) ?? addCustomer(unit, { ...details, externalId }, id)

type Details = NewOf<'customer'>

function addCustomer(unit: Unit, details: Details, order: string | undefined): Customer {
  const customer = create(unit, 'customer', details, order)
  unit.store.checkouts.adopt(customer)
  return customer
}
