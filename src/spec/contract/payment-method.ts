import type { z } from 'zod'
import { paymentMethod } from './resources/payment-method.ts'

export { BankAccount, Card, PaymentMethodType } from './resources/payment-method.ts'
export const PaymentMethod = paymentMethod.Shown
export type PaymentMethod = z.output<typeof PaymentMethod>
export const PaymentMethodQuery = paymentMethod.Query
export const PaymentMethodPage = paymentMethod.Page
