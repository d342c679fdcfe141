/** §4 customers. */
import type { Checkout } from '../../spec/contract/checkout.ts'
import { Customer, CustomerCreate, CustomerPage, CustomerQuery } from '../../spec/contract/customer.ts'
import { found } from '../../spec/contract/errors.ts'
import { createCustomer, requireFreeExternalId } from '../domain/customer.ts'
import { operation } from './operation.ts'
import type { Unit } from './unit.ts'

export const postCustomer = operation({
  id: 'customers.create',
  summary: 'Create a customer; its external ID is unique',
  body: CustomerCreate,
  answer: Customer,
  refusals: [409],
  run(unit, { body }) {
    requireFreeExternalId(unit.store.customers.findByExternalId(body.externalId))
    return addCustomer(unit, body, undefined)
  },
})

export const getCustomers = operation({
  id: 'customers.list',
  summary: 'List customers, newest first',
  query: CustomerQuery,
  answer: CustomerPage,
  refusals: [],
  run: (unit, { query }) => unit.store.customers.list(query),
})

export const getCustomer = operation({
  id: 'customers.get',
  summary: 'Read a customer',
  answer: Customer,
  refusals: [404],
  run: (unit, { params }) => findCustomer(unit, params.id),
})

export const findCustomer = (unit: Unit, id: string): Customer =>
  found(unit.store.customers.find(id), 'Customer')

/** D29: called when a buyer approves or pays. */
export const findOrCreateCustomer = (
  unit: Unit,
  { id, externalId }: Pick<Checkout, 'id' | 'externalId'>,
  details: Details = {},
): Customer =>
  unit.store.customers.findByExternalId(externalId) ?? addCustomer(unit, { ...details, externalId }, id)

type Details = { [Field in 'name' | 'email' | 'phone']?: string | null | undefined }

function addCustomer(
  unit: Unit,
  { externalId, name, email, phone }: Details & { externalId: string },
  order: string | undefined,
): Customer {
  const customer = createCustomer(
    { id: unit.id('customer'), externalId, name: name ?? null, email: email ?? null, phone: phone ?? null },
    unit.now,
  )
  unit.store.customers.insert(customer)
  unit.store.checkouts.adopt(customer)
  unit.emit('customer.created', customer, order)
  return customer
}
