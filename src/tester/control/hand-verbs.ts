/** Verbs for what no platform can do: the buyer's part, and completing refunds. */

import type { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { findRow, makeMove } from '../../service/operations/plain.ts'
import { CheckoutWithUrl } from '../../spec/contract/resources/checkout.ts'
import type { Definitions, ResourceName } from '../../spec/contract/resources/index.ts'
import { PaymentMethod } from '../../spec/contract/resources/payment-method.ts'
import { Refund } from '../../spec/contract/resources/refund.ts'
import { BuyerOptions, NewPaymentMethod } from '../../spec/contract/tester.ts'
import { requireShape } from './read-input.ts'
import { shownResource } from './resources.ts'
import { runUnit } from './run-unit.ts'
import { verb } from './steered.ts'

/** As /v1 shows it, with the fields that a profile adds. */
const shown = <Name extends ResourceName>(internals: Sandbox, id: string) =>
  shownResource(internals, internals.services.find(id)!) as z.input<Definitions[Name]['Shown']>

export const HAND_VERBS = {
  /** The buyer's part, without a browser. */
  buyer: {
    approve: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/approve',
      {
        id: 'checkouts.approve',
        summary: 'Approve a checkout as its buyer',
        more: 'It goes through the whole hosted page',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          approvedOf(runUnit(internals, (unit) => approveAsBuyer(unit, id, options)))
          return shown<'checkout'>(internals, id)
        },
      },
    ),
    decline: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/decline',
      {
        id: 'checkouts.decline',
        summary: 'Decline the buyer of a checkout as the bank; the checkout does not change',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          runUnit(internals, (unit) => declineAsBuyer(unit, id, options))
          return shown<'checkout'>(internals, id)
        },
      },
    ),
  },
  /** What a customer pays with. */
  paymentMethods: {
    attach: verb<(customerId: string, method?: NewPaymentMethod) => z.input<typeof PaymentMethod>>()(
      'POST /customers/{id}/payment-methods',
      {
        summary: "Attach staging's test card, or its test bank account",
        body: NewPaymentMethod,
        status: 201,
        answer: PaymentMethod,
        refusals: [404],
        does: ({ internals }, customerId, given = {}) => {
          requireShape(NewPaymentMethod, given)
          const { type = 'card' } = given
          const method = runUnit(internals, (unit) =>
            attach(unit, findRow(unit, 'customer', customerId), unit.services.rules.testersMethod(type)),
          )
          return shown<'payment_method'>(internals, method.id)
        },
      },
    ),
  },
  /** Refunds that are still pending. */
  refunds: {
    complete: verb<(refundId: string) => z.input<typeof Refund>>()('POST /refunds/{id}/complete', {
      summary: 'Complete a refund now',
      more: 'Without waiting until it is due',
      answer: Refund,
      refusals: [404, 409],
      does({ internals }, id) {
        runUnit(internals, (unit) => makeMove(unit, 'refund', id, 'complete'))
        return shown<'refund'>(internals, id)
      },
    }),
  },
}
