import type { z } from 'zod'
import { customer } from './resources/customer.ts'

export const Customer = customer.Shown
export type Customer = z.output<typeof Customer>
export const CustomerCreate = customer.Create
export const CustomerQuery = customer.Query
export const CustomerPage = customer.Page
