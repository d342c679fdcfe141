/** Rules for requests: which media types and fields are accepted, and which fields are required. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { OPERATIONS } from '../../../service/operations/table.ts'
import { ENDPOINTS, isCreation, writes } from '../../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../../spec/contract/kept-or-made.ts'
import { isObject, jsonIn } from '../../../spec/contract/parsed-json.ts'
import { FieldName } from '../../../spec/contract/profile-values.ts'
import { TextMap } from '../../../spec/contract/resources/field.ts'
import { isTime } from '../../../spec/contract/time.ts'
import { refusalMessage } from '../evidence.ts'
import type { Reading, SeenExchange } from '../reading.ts'
import { answeredCall, fallbackOf, type Known, type Noticed } from './rule.ts'

/** The fields of each operation's schema. */
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

/** Unknown request fields that the new resource shows unchanged. */
export function* addRule({ exchanges }: Reading, known: Known): Noticed {
  const found = new Map<string, { exchange: SeenExchange; fields: Record<string, unknown> }>()
  for (const exchange of exchanges) {
    const { operation, isSuccess, json } = exchange
    const body = jsonIn(exchange.asked.body ?? '')
    if (!isSuccess || !operation || !isCreation(operation) || !isObject(body) || !isObject(json)) continue
    const { fields } = keptOrMade(found, ENDPOINTS[operation].what, () => ({
      exchange,
      fields: {} as Record<string, unknown>,
    }))
    for (const name of unknownFields(exchange)) {
      const type = typeOf(body[name])
      const isEcho = Object.hasOwn(json, name) && isDeepStrictEqual(json[name], body[name])
      if (type && isEcho && FieldName.safeParse(name).success) fields[name] = { type }
    }
  }
  for (const [kind, { exchange, fields }] of found) {
    const key = `add.${kind}`
    if (Object.keys(fields).length === 0) continue
    const value = { ...fields, ...(known(key) as object) }
    yield { key, value, seenIn: exchange.seenIn, saw: `returned as sent: ${Object.keys(fields).join(', ')}` }
  }
}

function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isTime(value) ? 'time' : 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  return TextMap.safeParse(value).success ? 'map' : undefined
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
