/** Rules for requests: which media types and fields are accepted, and which fields are required. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { OPERATIONS } from '../../../service/operations/table.ts'
import { ENDPOINTS, isCreation, writes } from '../../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../../spec/contract/kept-or-made.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import { FieldName } from '../../../spec/contract/profile-values.ts'
import { TextMap } from '../../../spec/contract/resources/field.ts'
import { isTime } from '../../../spec/contract/time.ts'
import { refusalMessage, type SeenExchange } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { itemsSighting, type Known, type Noticed } from './rule.ts'

/** The fields of each operation's schema. */
const BODY_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = Object.fromEntries(
  OPERATIONS.filter((operation) => operation.writes).map(({ id, body }) => [
    id,
    body instanceof z.ZodObject ? Object.keys(body.shape) : [],
  ]),
)

/** The fields of a request that its operation does not have. */
export function unknownFields({ sent, operation }: SeenExchange): string[] {
  const own = operation && BODY_FIELDS[operation]
  return own && isObject(sent) ? Object.keys(sent).filter((name) => !own.includes(name)) : []
}

/** Those that the service refuses by name. Our side accepts unknown fields. */
export function refusedFields(exchange: SeenExchange): string[] {
  const { ours, theirs, json } = exchange
  const message = refusalMessage(json) ?? ''
  if (!ours || ours.status >= 300 || theirs.status !== 400) return []
  return unknownFields(exchange).filter((name) => message.includes(name))
}

/** Unknown request fields that the new resource shows unchanged. */
export function* addRule({ exchanges }: Reading, known: Known): Noticed {
  const found = new Map<string, { exchange: SeenExchange; fields: Record<string, unknown> }>()
  for (const exchange of exchanges) {
    const { operation, isSuccess, sent, json } = exchange
    if (!isSuccess || !operation || !isCreation(operation) || !isObject(sent) || !isObject(json)) continue
    const { fields } = keptOrMade(found, ENDPOINTS[operation].what, () => ({
      exchange,
      fields: {} as Record<string, unknown>,
    }))
    for (const name of unknownFields(exchange)) {
      const type = typeOf(sent[name])
      const isEcho = Object.hasOwn(json, name) && isDeepStrictEqual(json[name], sent[name])
      if (type && isEcho && FieldName.safeParse(name).success) fields[name] = { type }
    }
  }
  for (const [kind, { exchange, fields }] of found) {
    const key = `add.${kind}`
    if (Object.keys(fields).length === 0) continue
    const value = { ...fields, ...(known(key) as object) }
    yield { key, value, exchange }
  }
}

function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isTime(value) ? 'time' : 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  return TextMap.safeParse(value).success ? 'map' : undefined
}

export function* requestRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { asked, isSuccess, theirs, sent } = exchange
    if (!writes(asked.method) || !isObject(sent)) continue
    const isJson = /^application\/json\b/i.test(asked.headers['content-type'] ?? '')
    if (!isJson && (isSuccess || theirs.status === 415))
      yield { key: 'requests.mediaType', value: isSuccess ? 'lenient' : 'strict', exchange }
    const key = 'requests.unknownFields'
    if (isSuccess && unknownFields(exchange).length > 0) yield { key, value: 'ignore', exchange }
    if (refusedFields(exchange).length > 0) yield { key, value: 'refuse', exchange }
  }
  yield* requiredFields(exchanges)
}

function* requiredFields(exchanges: readonly SeenExchange[]): Noticed {
  const fields = BODY_FIELDS['checkouts.create']!
  const shown = exchanges.flatMap((exchange) => {
    const { operation, sent, json, isSuccess, theirs } = exchange
    if (operation !== 'checkouts.create' || !isObject(sent)) return []
    const missing = fields.filter((name) => sent[name] === undefined)
    const message = refusalMessage(json) ?? ''
    const isRefusedFor = theirs.status === 400 && missing.length === 1 && message.includes(missing[0]!)
    const items = missing.map((name) => [name, !isSuccess] as const)
    return items.length > 0 && (isSuccess || isRefusedFor) ? [{ exchange, items }] : []
  })
  yield* itemsSighting('requests.checkout', shown, fields)
}
