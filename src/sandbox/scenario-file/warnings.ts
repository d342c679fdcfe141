/** What is doubtful in a file that can be played: an `order` of webhooks that is not guaranteed, a matcher that is compared as data. */
import { isObject } from '../../spec/contract/parsed-json.ts'
import { suggest } from '../../spec/contract/suggest.ts'
import type { FileProblem } from './file-problem.ts'
import { MATCHER_NAMES } from './matcher.ts'

export const doubtsOf = (file: unknown): FileProblem[] => [...unkeptOrders(file), ...misspeltMatchers(file)]

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

/** What is compared with a body: these keys, in these places. */
const BODIES = ['json', 'data']
const PLACES = ['expect', 'until', 'requests', 'webhook', 'when']

/**
 * Finds objects that look like a matcher with a typing mistake. They are compared as data, so what must not happen, such as with
 * `count: 0`, would always pass.
 */
function misspeltMatchers(value: unknown, path: PropertyKey[] = [], isCompared = false): FileProblem[] {
  if (typeof value !== 'object' || value === null) return []
  const found = isCompared && isObject(value) ? problemOf(value, path) : []
  const inner = Object.entries(value).flatMap(([name, part]) => {
    const isBody = name === 'captured' || (BODIES.includes(name) && PLACES.includes(String(path.at(-1))))
    return misspeltMatchers(part, [...path, Array.isArray(value) ? Number(name) : name], isCompared || isBody)
  })
  return [...found, ...inner]
}

function problemOf(value: Record<string, unknown>, path: PropertyKey[]): FileProblem[] {
  const [name, ...others] = Object.keys(value)
  if (name === undefined || others.length > 0 || MATCHER_NAMES.includes(name)) return []
  const meant = suggest(name, MATCHER_NAMES)
  if (meant === undefined) return []
  const predicate = `is compared as data, as ${name} is no matcher; did you mean ${meant}?`
  return [{ path, of: 'value', predicate }]
}
