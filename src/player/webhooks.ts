/** Compares the received deliveries with those that a step expects. */
import { matchesEvent } from '../contract/event.ts'
import { type MatchDifference, matches } from '../scenario-file/matcher.ts'
import type { WebhookStep } from '../scenario-file/step.ts'
import type { ReceivedWebhook } from './receiver.ts'

type Expected = Omit<WebhookStep['webhook'], 'within'>

/** Whether no further deliveries need to be waited for. */
export const enoughWebhooks = (expected: Expected, deliveries: readonly ReceivedWebhook[]): boolean =>
  matching(expected, deliveries).length >= atLeast(expected) && inOrder(expected, deliveries) === undefined

export function checkWebhooks(expected: Expected, deliveries: readonly ReceivedWebhook[]) {
  const differences: MatchDifference[] = []
  const found = matching(expected, deliveries)
  const { exactly, events, signature } = expected
  const enough = exactly === undefined ? found.length >= atLeast(expected) : found.length === exactly
  if (!enough) {
    const wanted = exactly ?? `${atLeast(expected)} or more`
    const received = `${found.length} among ${typesOf(deliveries)}`
    differences.push({ path: 'deliveries', expected: `${wanted} of ${expected.type}`, received })
  }
  const different = new Set(found.map(({ id }) => id)).size
  if (events !== undefined && different !== events) {
    differences.push({ path: 'events', expected: String(events), received: String(different) })
  }
  for (const one of found) {
    if (signature === undefined || one.signature === signature) continue
    differences.push({
      path: `signature of ${one.id || 'a delivery'}`,
      expected: signature,
      received: one.signature,
    })
  }
  const order = inOrder(expected, deliveries)
  if (order !== undefined)
    differences.push({ path: 'order', expected: expected.order?.join(', ') ?? '', received: order })
  return { saw: typesOf(found), differences }
}

const matching = ({ type, data }: Expected, deliveries: readonly ReceivedWebhook[]): ReceivedWebhook[] =>
  deliveries.filter((one) => matchesEvent(type, one.type) && (data === undefined || matches(data, one.data)))

const atLeast = ({ exactly, atLeast: given, order, events }: Expected): number =>
  exactly ?? given ?? (order === undefined ? (events ?? 1) : 0)

/** Undefined when the types were first received in this order; else the order in which they were. */
function inOrder({ order = [] }: Expected, deliveries: readonly ReceivedWebhook[]): string | undefined {
  const first = order.map((pattern) => deliveries.findIndex(({ type }) => matchesEvent(pattern, type)))
  const isInOrder = first.every((place, index) => place >= 0 && place > (first[index - 1] ?? -1))
  return isInOrder
    ? undefined
    : typesOf(deliveries.filter(({ type }) => order.some((one) => matchesEvent(one, type))))
}

const typesOf = (deliveries: readonly ReceivedWebhook[]): string =>
  deliveries.map(({ type }) => type).join(', ') || 'none'
