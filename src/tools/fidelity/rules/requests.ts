/** Rules for requests: which media types and fields are accepted, and which fields are required. */

import { z } from 'zod'
import { OPERATIONS } from '../../../service/operations/table.ts'
import { writes } from '../../../spec/contract/endpoints.ts'
import { isObject, jsonIn } from '../../../spec/contract/parsed-json.ts'
import { refusalMessage } from '../evidence.ts'
import type { Reading, SeenExchange } from '../reading.ts'
import { answeredCall, fallbackOf, type Noticed } from './rule.ts'

/** By operation, as its schema has them. */
const BODY_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = Object.fromEntries(
  OPERATIONS.filter((operation) => operation.writes).map(({ id, body }) => [
    id,
    body instanceof z.ZodObject ? Object.keys(body.shape) : [],
  ]),
)

/** The fields of a request that its operation does not have. */
export function unknownFields({ asked, operation }: SeenExchange): string[] {
  const body = jsonIn(asked.body ?? '')
  const own = operation && BODY_FIELDS[operation]
  return own && isObject(body) ? Object.keys(body).filter((name) => !own.includes(name)) : []
}

export function* requestRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { asked, operation = '', isSuccess, theirs, ours, seenIn, json } = exchange
    const body = asked.body === undefined ? undefined : jsonIn(asked.body)
    if (!writes(asked.method) || !isObject(body)) continue
    const saw = answeredCall(exchange)
    const isJson = /^application\/json\b/i.test(asked.headers['content-type'] ?? '')
    if (!isJson && (isSuccess || theirs.status === 415))
      yield { key: 'requests.mediaType', value: isSuccess ? 'lenient' : 'strict', seenIn, saw }
    const message = refusalMessage(json) ?? ''
    const unknown = unknownFields(exchange)
    const isRefusedFor = (name: string) => theirs.status === 400 && message.includes(name)
    if (BODY_FIELDS[operation] && unknown.length > 0) {
      if (isSuccess) yield { key: 'requests.unknownFields', value: 'ignore', seenIn, saw }
      else if (ours && ours.status < 300 && unknown.some(isRefusedFor))
        yield { key: 'requests.unknownFields', value: 'refuse', seenIn, saw }
    }
  }
  yield* requiredFields(exchanges)
}

function* requiredFields(exchanges: readonly SeenExchange[]): Noticed {
  const key = 'requests.checkout'
  const required = new Set(fallbackOf(key) as string[])
  const seen: SeenExchange[] = []
  const needed = new Map<string, boolean>()
  for (const exchange of exchanges.filter(({ operation }) => operation === 'checkouts.create')) {
    const body = jsonIn(exchange.asked.body ?? '')
    if (!isObject(body)) continue
    const missing = BODY_FIELDS['checkouts.create']!.filter((name) => body[name] === undefined)
    const message = refusalMessage(exchange.json) ?? ''
    const decided = exchange.isSuccess
      ? missing.map((name) => [name, false] as const)
      : exchange.theirs.status === 400 && missing.length === 1 && message.includes(missing[0]!)
        ? [[missing[0]!, true] as const]
        : []
    if (decided.length > 0) seen.push(exchange)
    for (const [name, isNeeded] of decided) {
      if (needed.get(name) === !isNeeded) return
      needed.set(name, isNeeded)
    }
  }
  if (seen.length === 0) return
  for (const [name, isNeeded] of needed) isNeeded ? required.add(name) : required.delete(name)
  const last = seen.at(-1)!
  const value = BODY_FIELDS['checkouts.create']!.filter((name) => required.has(name))
  yield { key, value, seenIn: last.seenIn, saw: `tried: ${[...needed.keys()].join(', ')}` }
}
