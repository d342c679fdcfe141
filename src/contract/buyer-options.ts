/** What a tester may say about the buyer that is played without a browser. */
import { z } from 'zod'
import { PaymentMethodType } from './payment-method.ts'

const text = z.string({ error: 'must be a text' })

export const BuyerOptions = z
  .strictObject({
    method: PaymentMethodType.optional(),
    /** First and last name of the one who applies. */
    applicant: text.optional().meta({ description: 'First and last name', example: 'Test Approved' }),
    /** The last four digits of the applicant's national ID. */
    lastFour: text.optional().meta({ description: 'Of the national ID', example: '0000' }),
  })
  .meta({ id: 'BuyerOptions' })
export type BuyerOptions = z.input<typeof BuyerOptions>
