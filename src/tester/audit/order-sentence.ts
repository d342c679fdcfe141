/** What went wrong with one order: the facts, and a sentence. */
import { z } from 'zod'
import { Money } from '../../spec/contract/money.ts'
import { LEDGER_KIND_NAMES } from '../../spec/contract/resources/ledger.ts'

export const MoveOfMoney = z.object({
  kind: z.enum(LEDGER_KIND_NAMES),
  id: z.string().describe('The id of the resource'),
  request: z.string().nullable().describe('The request that asked for it'),
})

export const OrderSentence = z
  .object({
    order: z.string(),
    kind: z.enum(['moved again', 'webhook not taken', 'rule broken', 'left open']),
    worst: z.string().meta({ description: 'It in a few words, for a label', example: 'refunded twice' }),
    severity: z.enum(['error', 'warning']),
    text: z.string(),
    what: z.string().describe('The cause, as the text names it'),
    rule: z.string().nullable().meta({ description: 'The audit rule, if it is one', example: 'C2' }),
    todo: z.string().nullable().describe('What to do'),
    tooMuch: Money.nullable().describe('How much money moved that should not have'),
    movedAgain: z
      .array(MoveOfMoney.extend({ first: MoveOfMoney.describe('The movement that it repeats') }))
      .describe('The movements of that money'),
    requests: z.array(z.string()),
    about: z.array(z.string()).describe('The ids of the resources and deliveries concerned'),
  })
  .meta({ id: 'OrderSentence' })

export type OrderSentence = z.input<typeof OrderSentence>
