/**
 * Something that happens in a sandbox, as a behavior may look at it. What an occasion does not have, no behavior that
 * asks for it can match.
 */
import { z } from 'zod'
import { Checkout } from '../contract/checkout.ts'
import { Refund } from '../contract/refund.ts'
import type { MatchedRequest } from '../gate/interruptions.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import type { BankQuestion } from '../staging/bank.ts'
import type { EventRow } from './delivery-plan.ts'

/** Where trouble can be put. */
export type TriggerPlace = 'request' | 'transition' | 'delivery' | 'buyer'

export type CountScope = Behavior['scope']

export interface Trigger {
  readonly place: TriggerPlace
  /** Method and path. */
  readonly call?: string
  readonly op?: string
  readonly header?: (name: string) => string | undefined
  readonly query?: URLSearchParams
  readonly key?: string | undefined
  readonly event?: string
  readonly resource?: string
  readonly enters?: string
  /** What stands in the body, on the wire. */
  readonly json: () => unknown
  /** What counters are kept for. Where a scope says nothing, everything is counted as one. */
  readonly counted: Partial<Record<CountScope, string | undefined>>
}

export function requestTrigger({ request, operation, params, body, key }: MatchedRequest): Trigger {
  const path = request.target.split('?', 1)[0]!
  return {
    place: 'request',
    call: `${operation.method} ${path}`,
    op: operation.id,
    header: request.header,
    query: new URLSearchParams(request.query),
    key,
    json: () => body,
    counted: { op: operation.id, key, resource: resourceOf(params, body), ip: request.ip },
  }
}

/** The resource that a request is about: the one in its path, or the one that its body names as the target. */
function resourceOf(
  { id }: MatchedRequest['params'],
  { checkoutId, authorizationId, customerId }: MatchedRequest['body'],
) {
  const named = id ?? checkoutId ?? authorizationId ?? customerId
  return typeof named === 'string' ? named : undefined
}

export const deliveryTrigger = ({ type, resourceId, body }: EventRow): Trigger => ({
  place: 'delivery',
  event: type,
  json: () => JSON.parse(body),
  counted: { resource: resourceId },
})

export const transitionTrigger = (refund: Refund): Trigger => ({
  place: 'transition',
  json: () => z.encode(Refund, refund),
  counted: { resource: refund.id },
})

/** Where a buyer finds the page depends on who asks, and is nothing to wait for. */
const SeenByBank = Checkout.omit({ checkoutUrl: true })

/** What the bank is asked about, and for which checkout. */
export const buyerTrigger = (
  { about, checkoutId }: BankQuestion,
  checkout: Checkout | undefined,
): Trigger => ({
  place: 'buyer',
  json: () => ({ about, ...(checkout && z.encode(SeenByBank, checkout)) }),
  counted: { resource: checkoutId },
})
