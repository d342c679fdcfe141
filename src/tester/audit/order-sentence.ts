/** What went wrong with one order, in a sentence. */
import { z } from 'zod'
import { Money } from '../../spec/contract/money.ts'

export const OrderSentence = z
  .object({
    order: z.string(),
    worst: z.string().meta({ description: 'It in a few words, for a label', example: 'refunded twice' }),
    severity: z.enum(['error', 'warning']),
    text: z.string(),
    rule: z.string().nullable().meta({ description: 'The audit rule, if it is one', example: 'C2' }),
    todo: z.string().nullable().meta({ description: 'What to do' }),
    tooMuch: Money.nullable().meta({ description: 'How much money moved that should not have' }),
    requests: z.array(z.string()),
    about: z.array(z.string()).meta({ description: 'Checkouts, authorizations, refunds, deliveries' }),
  })
  .meta({ id: 'OrderSentence' })

export type OrderSentence = z.input<typeof OrderSentence>
