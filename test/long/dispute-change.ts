/** A resource that the contract lacks: its definition, and the code that a definition cannot express. */

/** src/spec/contract/resources/dispute.ts */
export const DEFINITION = `/** A buyer's bank takes a payment back until the platform has answered. */
import { z } from 'zod'
import { Amount } from '../money.ts'
import { Text } from '../wire.ts'
import { authorization } from './authorization.ts'
import { checkout } from './checkout.ts'
import { field } from './field.ts'
import { resource } from './resource.ts'

export const dispute = resource({
  name: 'dispute',
  collection: 'disputes',
  path: 'disputes',
  param: 'id',
  parent: undefined,
  prefix: 'dsp_',
  decision: 'D3',
  words: {
    one: 'Dispute',
    many: 'Disputes',
    what: "Payments that a buyer's bank asks back",
    about: "A buyer's bank asks for a payment back.",
  },
  created: 'opened',
  ledger: 'none',
  order: 'payment',
  fields: {
    checkoutId: field.reference(checkout, { nullable: true, filter: 'few' }),
    authorizationId: field.reference(authorization, { nullable: true, filter: 'few' }),
    amount: field.amount({ search: 'amount', check: 'amount > 0' }),
    currency: field.currency({}),
    status: field.state,
    reason: field.text({ nullable: true }),
  },
  moves: {
    win: { from: ['opened'], to: 'won', by: 'time', after: '14d', option: 'disputeWindow', decision: 'D3', ledger: 'none' },
    withdraw: { from: ['opened'], to: 'withdrawn', by: 'tester', ledger: 'none' },
    accept: { from: ['opened'], to: 'lost', by: 'platform', ledger: { kind: 'dispute', amount: 'amount' } },
  },
  operations: {
    list: { does: 'list', summary: 'List disputes, newest first' },
    get: { does: 'read', summary: 'Read a dispute' },
    accept: {
      does: 'change',
      summary: 'Accept a dispute: the money goes back',
    },
  },
  tester: {
    verb: 'open',
    for: checkout,
    from: ['confirmed'],
    summary: 'Dispute a payment as the bank of the buyer',
    options: z
      .strictObject({
        amount: Amount.optional().describe('How much is disputed; default: all'),
        reason: Text.optional().describe("The buyer's reason"),
      })
      .meta({ id: 'NewDispute' }),
  },
})
`

/** The other places that name it: the index of the resources, the movements of money, and the code of its creation. */
export const LINES = [
  {
    file: 'src/spec/contract/resources/index.ts',
    before: /^import { refund }/m,
    line: "import { dispute } from './dispute.ts'",
  },
  { file: 'src/spec/contract/resources/index.ts', before: /^ {2}customer,$/m, line: '  dispute,' },
  {
    file: 'src/spec/contract/resources/ledger.ts',
    before: /^} as const satisfies/m,
    line: "  dispute: { sign: -1, sum: 'disputed', count: 'disputes', about: 'How much was lost to disputes' },",
  },
  {
    file: 'src/service/operations/table.ts',
    before: /^ {2}payment_method: \(unit/m,
    line: `  dispute(unit, checkoutId, { amount = findRow(unit, 'checkout', checkoutId).amount }) {
    return create(unit, 'dispute', { checkoutId, amount })
  },`,
  },
  {
    file: 'src/service/operations/table.ts',
    before: /^\/\*\* The operations with their own code/m,
    line: "import { create } from './plain.ts'\n",
  },
]
