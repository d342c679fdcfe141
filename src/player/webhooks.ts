/** Whether the deliveries that came are those that were expected. */
import { matchesEvent } from '../contract/event.ts'
import { type MatchDifference, matches } from '../scenario-file/matcher.ts'
import type { WebhookStep } from '../scenario-file/step.ts'
import type { ReceivedWebhook } from './receiver.ts'

type Expected = Omit<WebhookStep['webhook'], 'within'>

/** Whether there is nothing left to wait for. */
export const enoughWebhooks = (expected: Expected, deliveries: readonly ReceivedWebhook[]): boolean =>
  fitting(expected, deliveries).length >= atLeast(expected) && inOrder(expected, deliveries) === undefined

export function checkWebhooks(expected: Expected, deliveries: readonly ReceivedWebhook[]) {
  const found: MatchDifference[] = []
  const fit = fitting(expected, deliveries)
  const { exactly, events, signature } = expected
  const enough = exactly === undefined ? fit.length >= atLeast(expected) : fit.length === exactly
  if (!enough) {
    const wanted = exactly ?? `${atLeast(expected)} or more`
    const received = `${fit.length} among ${heard(deliveries)}`
    found.push({ path: 'deliveries', expected: `${wanted} of ${expected.type}`, received })
  }
  const different = new Set(fit.map(({ id }) => id)).size
  if (events !== undefined && different !== events) {
    found.push({ path: 'events', expected: String(events), received: String(different) })
  }
  for (const one of fit) {
    if (signature === undefined || one.signature === signature) continue
    found.push({
      path: `signature of ${one.id || 'a delivery'}`,
      expected: signature,
      received: one.signature,
    })
  }
  const order = inOrder(expected, deliveries)
  if (order !== undefined)
    found.push({ path: 'order', expected: expected.order?.join(', ') ?? '', received: order })
  return { saw: heard(fit), differences: found }
}

const fitting = ({ type, data }: Expected, deliveries: readonly ReceivedWebhook[]): ReceivedWebhook[] =>
  deliveries.filter((one) => matchesEvent(type, one.type) && (data === undefined || matches(data, one.data)))

const atLeast = ({ exactly, atLeast: given, order, events }: Expected): number =>
  exactly ?? given ?? (order === undefined ? (events ?? 1) : 0)

/** Undefined when each type first came after the one before it; else the order in which they did come. */
function inOrder({ order = [] }: Expected, deliveries: readonly ReceivedWebhook[]): string | undefined {
  const first = order.map((pattern) => deliveries.findIndex(({ type }) => matchesEvent(pattern, type)))
  const kept = first.every((place, index) => place >= 0 && place > (first[index - 1] ?? -1))
  return kept
    ? undefined
    : heard(deliveries.filter(({ type }) => order.some((one) => matchesEvent(one, type))))
}

const heard = (deliveries: readonly ReceivedWebhook[]): string =>
  deliveries.map(({ type }) => type).join(', ') || 'none'
