/** The name of a setup says what its steps do: `create-checkout-confirm`. */
import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { ENDPOINTS, isCreation, writes } from '../../spec/contract/endpoints.ts'
import type { WrittenStep } from './session.ts'

/** A longer name is read no better than its steps. */
const MOST_WORDS = 3

export function setupName(steps: readonly WrittenStep[]): string {
  const words = steps.flatMap(({ call }) => (call === undefined ? [] : [wordFor(String(call))]))
  return [...new Set(words)].slice(0, MOST_WORDS).join('-')
}

/** What its operation does: `create-refund`, `read-refunds`, or its own word, such as `confirm`. */
function wordFor(call: string): string {
  const [method = '', target = ''] = call.split(' ')
  const path = target.split('?')[0]!
  const segments = path.split('/').filter((one) => /^[\w-]+$/.test(one) && one !== 'v1')
  const last = segments.at(-1) ?? 'request'
  if (!writes(method)) return `read-${last}`
  const operation = DEFAULT_CONTRACT.operationAt(method, path)
  if (operation === undefined) return last
  const verb = operation.split('.')[1]!
  if (verb === last) return verb
  const what = ENDPOINTS[operation].what.replace('_', '-')
  return `${isCreation(operation) ? 'create' : verb}-${what}`
}
