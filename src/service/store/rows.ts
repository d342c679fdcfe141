/** The schema of each table's rows, by the table's name. `settings` has none: each setting has a schema of its own. */
import type { z } from 'zod'
import { Authorization } from '../../spec/contract/authorization.ts'
import { Customer } from '../../spec/contract/customer.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { Application } from '../domain/application.ts'
import { Work } from './agenda.ts'
import { RecordedAnswer } from './answers.ts'
import { CheckoutRow } from './checkouts.ts'
import { AttemptRow, DeliveryRow } from './deliveries.ts'
import { EventRow } from './events.ts'
import { Movement } from './ledger.ts'
import { MessageRow } from './outbox.ts'

export const ROWS: Record<string, z.ZodObject> = {
  agenda: Work,
  answers: RecordedAnswer,
  applications: Application,
  attempts: AttemptRow,
  authorizations: Authorization,
  checkouts: CheckoutRow,
  customers: Customer,
  deliveries: DeliveryRow,
  events: EventRow,
  ledger: Movement,
  outbox: MessageRow,
  payment_methods: PaymentMethod,
  refunds: Refund,
}
