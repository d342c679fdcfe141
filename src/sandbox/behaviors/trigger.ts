/**
 * An occasion on which a behavior may act: a request, a new refund, an event's delivery or a buyer's
 * decision. A condition on a field that the trigger does not have never holds.
 */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { MatchedRequest } from '../../service/door/interruptions.ts'
import type { BankQuestion } from '../../service/environments/bank.ts'
import type { DeliveryFaults } from '../../service/webhooks/webhooks.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import { splitTarget } from '../../spec/contract/endpoints.ts'
import { Checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import type { TimedMove } from '../../spec/contract/resources/timed.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import type { ComparedRequest } from '../scenario-file/comparison.ts'

export type DeliveredEvent = Parameters<DeliveryFaults['deliveries']>[0]

export type TriggerKind = 'request' | 'transition' | 'delivery' | 'buyer'

export interface Trigger extends ComparedRequest {
  readonly kind: TriggerKind
  readonly isReplay?: boolean
  readonly event?: string
  /** For a timed move: the kind of resource, and the state in which it waits for the move. */
  readonly resource?: ResourceName
  readonly enters?: string | undefined
  /** For each scope the value, such as the key, that selects the counter; a scope without an entry has one counter. */
  readonly countedBy: Partial<Record<Behavior['scope'], string | undefined>>
}

export function requestTrigger(
  { request, operation, params, body, key, entry, isReplay }: MatchedRequest,
  contract: Contract,
): Trigger {
  const { method, target } =
    operation.method === request.method ? request : { ...request, method: operation.method }
  const [path, query] = splitTarget(translationOf(contract)?.ownCall({ method, target }).target ?? target)
  return {
    kind: 'request',
    call: `${operation.method} ${path}`,
    op: operation.id ?? undefined,
    header: request.header,
    query: new URLSearchParams(query),
    key,
    isReplay,
    json: () => body,
    countedBy: {
      op: operation.id ?? `${operation.method} ${operation.path}`,
      get key() {
        return key ?? withoutKey(`${operation.method} ${path}`, entry.asked.body)
      },
      resource: namedResource(params, body),
      ip: request.ip,
    },
  }
}

/**
 * Replaces the key of a request without one: requests with the same call and body count as the same. The line break keeps it
 * apart from real keys, which have none.
 */
const withoutKey = (call: string, body: string) =>
  `\n${call} ${createHash('sha256').update(body).digest('base64url')}`

/** The id in the path, or another resource's id in the body. */
function namedResource(
  { id }: MatchedRequest['params'],
  { checkoutId, authorizationId, customerId }: MatchedRequest['body'],
) {
  const named = id ?? checkoutId ?? authorizationId ?? customerId
  return typeof named === 'string' ? named : undefined
}

export const deliveryTrigger = ({ type, resourceId, body }: DeliveredEvent, contract: Contract): Trigger => ({
  kind: 'delivery',
  event: type,
  json: () => JSON.parse(translationOf(contract)?.eventText(body) ?? body),
  countedBy: { resource: resourceId },
})

export const transitionTrigger = ({ kind }: TimedMove, row: { id: string; status?: string }): Trigger => ({
  kind: 'transition',
  resource: kind,
  enters: row.status,
  json: () => z.encode(DEFINITIONS[kind].Stored as z.ZodType<unknown, unknown>, row),
  countedBy: { resource: row.id },
})

/** The body for conditions has the checkout's fields and `about`, the bank's question. */
export const buyerTrigger = (
  { about, checkoutId }: BankQuestion,
  checkout: Checkout | undefined,
): Trigger => ({
  kind: 'buyer',
  json: () => ({ about, ...(checkout && z.encode(Checkout, checkout)) }),
  countedBy: { resource: checkoutId },
})
