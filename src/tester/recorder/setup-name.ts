/** The name of a setup says what its steps do: `create-checkout-confirm`. */
import type { WrittenStep } from './session.ts'

/** A longer name is read no better than its steps. */
const MOST_WORDS = 3

export function setupName(steps: readonly WrittenStep[]): string {
  const words = steps.flatMap(({ call }) => (call === undefined ? [] : [wordFor(String(call))]))
  return [...new Set(words)].slice(0, MOST_WORDS).join('-')
}

function wordFor(call: string): string {
  const [method, target = ''] = call.split(' ')
  const segments = target
    .split('?')[0]!
    .split('/')
    .filter((one) => /^[\w-]+$/.test(one) && one !== 'v1')
  const last = segments.at(-1) ?? 'request'
  if (method === 'GET') return `read-${last}`
  if (!last.endsWith('s')) return last
  return `${method === 'DELETE' ? 'delete' : 'create'}-${last.slice(0, -1)}`
}
