/** Verbs for what no platform can do: the buyer's part, and the moves that a tester makes. */

import type { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { findRow, makeNamedMove } from '../../service/operations/plain.ts'
import { type ByCollection, TESTER_MOVES } from '../../spec/contract/resources/by-tester.ts'
import { CheckoutWithUrl } from '../../spec/contract/resources/checkout.ts'
import {
  DEFINITIONS,
  type Definitions,
  oneOfKind,
  RESOURCE_NAMES,
  type ResourceName,
} from '../../spec/contract/resources/index.ts'
import { PaymentMethod } from '../../spec/contract/resources/payment-method.ts'
import { BuyerOptions, NewPaymentMethod } from '../../spec/contract/tester.ts'
import { requireShape } from './read-input.ts'
import { shownResource } from './resources.ts'
import { runUnit } from './run-unit.ts'
import { verb } from './steered.ts'
import type { Verb } from './verb.ts'

/** As /v1 shows it, with the fields that a profile adds. */
const shown = <Name extends ResourceName>(internals: Sandbox, id: string) =>
  shownResource(internals, internals.services.find(id)!) as z.input<Definitions[Name]['Shown']>

/** The method that makes a move. */
export interface MoveMethod<Name extends ResourceName> {
  // biome-ignore lint/style/useShorthandFunctionType: the compiler would write out a type in the declarations
  (id: string): z.input<Definitions[Name]['Shown']>
}

type MoveVerbs = ByCollection<{ [Name in ResourceName]: Verb<MoveMethod<Name>> }>

function moveVerb({ kind, move, title, row }: (typeof TESTER_MOVES)[number]): Verb {
  const { path, Shown } = DEFINITIONS[kind]
  return verb<(id: string) => object>()(`POST /${path.split('/').at(-1)}/{id}/${move}`, {
    summary: `${title} ${oneOfKind(kind)} now`,
    ...(row.by === 'time' && { more: 'Without waiting until it is due' }),
    answer: Shown as z.ZodType<object, object>,
    refusals: [404, 409],
    does({ internals }, id) {
      runUnit(internals, (unit) => makeNamedMove(unit, kind, id, move))
      return shown(internals, id)
    },
  })
}

const moveVerbs = Object.fromEntries(
  RESOURCE_NAMES.flatMap((kind) => {
    const moves = TESTER_MOVES.filter((move) => move.kind === kind)
    if (moves.length === 0) return []
    return [[DEFINITIONS[kind].collection, Object.fromEntries(moves.map((row) => [row.move, moveVerb(row)]))]]
  }),
) as MoveVerbs

/** Verbs that a definition cannot express. */
const SPECIAL_VERBS = {
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
}

type Groups = typeof SPECIAL_VERBS & MoveVerbs

/** A collection may have verbs of both. */
export const HAND_VERBS = Object.fromEntries(
  Object.keys({ ...SPECIAL_VERBS, ...moveVerbs }).map((group) => [
    group,
    { ...Reflect.get(SPECIAL_VERBS, group), ...Reflect.get(moveVerbs, group) },
  ]),
) as { readonly [Group in keyof Groups]: Groups[Group] }
