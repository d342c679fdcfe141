/** What is doubtful in a file that can be played: an `order` of webhooks that is not guaranteed, a field that the service lacks. */
import { isEndpoint } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { CONTRACT_FIELDS } from './contract-fields.ts'
import type { FileProblem } from './file-problem.ts'
import { isMatcher } from './matcher.ts'

export const doubtsOf = (file: unknown): FileProblem[] => [...unkeptOrders(file), ...unknownFields(file)]

/** The call that creates each resource, by the first word of its events. */
const BEGINS_WITH = {
  checkout: 'POST /v1/checkouts',
  authorization: 'POST /v1/authorizations',
  customer: 'POST /v1/customers',
} as const

type Beginning = keyof typeof BEGINS_WITH

/**
 * Finds an `order` of webhooks that is not guaranteed. D50 keeps the order only among the events of one
 * checkout, authorization or customer; events of different ones are sent at the same time. Only certain cases
 * are reported.
 */
function unkeptOrders(file: unknown): FileProblem[] {
  if (!isObject(file) || listOf(file.behaviors).some(changesDeliveries)) return []
  const steps = listOf(file.steps)
  return steps.flatMap((step, index) => {
    if (!isObject(step) || !isObject(step.webhook)) return []
    const order = listOf(step.webhook.order)
    return order.flatMap((type, at) => {
      const before = order.slice(0, at).find((earlier) => isUnkept(earlier, type, steps))
      if (before === undefined) return []
      const predicate = `is of another order than ${before}: the two are sent side by side, so nothing keeps them in this order; put a webhook step or sim: { settle: 5s } between them`
      return [{ path: ['steps', index, 'webhook', 'order', at], of: 'value' as const, predicate }]
    })
  })
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Such a behavior may be there to keep the order, so nothing is reported. */
const changesDeliveries = (behavior: unknown) =>
  isObject(behavior) && isObject(behavior.do) && 'webhook' in behavior.do

function isUnkept(before: unknown, after: unknown, steps: readonly unknown[]): boolean {
  const [first, second] = [beginningOf(before), beginningOf(after)]
  if (first === undefined || second === undefined || first === second) return false
  const [from, to] = [first, second].map((one) => steps.findIndex((step) => calls(step, BEGINS_WITH[one])))
  if (from === -1 || to === -1) return false
  return from! > to! || !steps.slice(from! + 1, to).some(waitsForWebhooks)
}

function beginningOf(type: unknown): Beginning | undefined {
  const word = String(type).split('.')[0]!
  return word in BEGINS_WITH ? (word as Beginning) : undefined
}

/** Whether a step sends this call, by itself or in `parallel`. */
function calls(step: unknown, call: string): boolean {
  if (!isObject(step)) return false
  return (
    step.call === call ||
    (isObject(step.parallel) && listOf(step.parallel.steps).some((one) => calls(one, call)))
  )
}

const waitsForWebhooks = (step: unknown): boolean =>
  isObject(step) &&
  ('webhook' in step || (isObject(step.sim) && ('settle' in step.sim || 'advance' in step.sim)))

/**
 * Finds expected fields that the service does not have. With `absent`, `none`, `not` or `exactly: 0` such an expectation would
 * always pass. Answers of stubs and of the tester's API have other fields.
 */
function unknownFields(value: unknown, path: PropertyKey[] = []): FileProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownFields(item, [...path, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const at = [...path, name]
    if (!isObject(part)) return unknownFields(part, at)
    if (name === 'expect' || name === 'until')
      return isServiceCall(value.call) ? fieldsIn(part.json, [...at, 'json']) : []
    if (name === 'webhook') return fieldsIn(part.data, [...at, 'data'])
    if (name === 'requests' || name === 'when')
      return part.stub === undefined ? fieldsIn(part.json, [...at, 'json']) : []
    return unknownFields(part, at)
  })
}

const isServiceCall = (call: unknown): boolean =>
  typeof call === 'string' && isEndpoint(call.replaceAll(/\$\{[^{}]*\}/g, '{}'))

function fieldsIn(expected: unknown, path: PropertyKey[]): FileProblem[] {
  if (Array.isArray(expected)) return expected.flatMap((item, index) => fieldsIn(item, [...path, index]))
  if (!isObject(expected)) return []
  const areFields = !isMatcher(expected)
  return Object.entries(expected).flatMap(([name, value]): FileProblem[] => {
    const at = [...path, name]
    if (!areFields) return name === 'sorted' ? [] : fieldsIn(value, at)
    if (CONTRACT_FIELDS.has(name)) return fieldsIn(value, at)
    const guess = didYouMean(name, CONTRACT_FIELDS)
    return [{ path: at, of: 'key', predicate: `is not a field that the service has${guess}` }]
  })
}
