/** §2 Customer: a business that the platform knows by its external ID. */
import { z } from 'zod'
import { id } from './ids.ts'
import { pageOf, pageParameters } from './pages.ts'
import { Instant, Text } from './wire.ts'

export const Customer = z
  .object({
    id: id('customer'),
    externalId: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Customer' })

export type Customer = z.output<typeof Customer>

export const CustomerCreate = z
  .object({ externalId: Text, name: Text.nullish(), email: Text.nullish(), phone: Text.nullish() })
  .meta({ id: 'CustomerCreate' })

export const CustomerQuery = z.object({ externalId: z.string().optional(), ...pageParameters })

export const CustomerPage = pageOf(Customer).meta({ id: 'CustomerPage' })
