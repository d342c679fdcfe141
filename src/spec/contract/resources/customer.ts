/** §2 Customer: a business that the platform knows by its external ID. */
import type { z } from 'zod'
import { field } from './field.ts'
import { resource } from './resource.ts'

export const customer = resource({
  name: 'customer',
  collection: 'customers',
  path: 'customers',
  param: 'id',
  parent: undefined,
  prefix: 'cus_',
  decision: 'none',
  words: {
    one: 'Customer',
    many: 'Customers',
    what: 'The businesses that a platform knows by its external IDs',
    about: 'A business that has paid, or was created by POST /v1/customers.',
  },
  created: 'created',
  ledger: 'none',
  order: 'events',
  fields: {
    externalId: field.text({
      sent: 'required',
      unique: true,
      changes: true,
      filter: 'few',
      search: 'beginning',
      about: "The platform's id of the customer",
    }),
    name: field.text({ sent: 'optional', changes: true, search: 'part', about: "The customer's name" }),
    email: field.text({
      sent: 'optional',
      changes: true,
      search: 'part',
      about: "The customer's e-mail address",
    }),
    phone: field.text({
      sent: 'optional',
      changes: true,
      search: 'part',
      about: "The customer's phone number",
    }),
  },
  moves: {},
  operations: {
    create: {
      does: 'create',
      summary: 'Create a customer; its external ID is unique',
      movesMoney: false,
      refusals: [409],
    },
    list: { does: 'list', summary: 'List customers, newest first' },
    get: { does: 'read', summary: 'Read a customer' },
  },
})

export const Customer = customer.Shown
export type Customer = z.output<typeof Customer>
export const CustomerCreate = customer.Create
