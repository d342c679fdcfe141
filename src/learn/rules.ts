/**
 * The rules by which keys of a profile are learned: each reads the evidence and says what it saw of its keys. What is written
 * is decided elsewhere, where all that was seen of a key must agree. A rule that is not sure says nothing.
 */
import { createHmac } from 'node:crypto'
import { formatDuration } from '../contract/duration.ts'
import type { ResourceName } from '../contract/event.ts'
import { PROFILE_KEYS } from '../contract/profile.ts'
import { TEXTS, type TextName, wordsOf } from '../contract/texts.ts'
import { readMessage } from '../contract/translation.ts'
import { isFields, type JsonFields, jsonIn, type SentWebhook } from './evidence.ts'
import {
  kindByFields,
  OWN_FIELDS,
  type Reading,
  type SeenExchange,
  type SeenList,
  stateOf,
} from './reading.ts'

/** A value that a key has by what was seen. */
export interface Sighting {
  key: string
  value: unknown
  seenIn: string
  /** What was seen, in a few words. */
  saw: string
}

/** What is different, and no key says it. */
export interface Remark {
  remark: string
}

export interface LearningRule {
  /** What its keys begin with. */
  keys: string
  /** `known` is the value of a key that an earlier rule has learned. */
  find(reading: Reading, known: (key: string) => unknown): Iterable<Sighting | Remark>
}

const FALLBACKS = new Map(PROFILE_KEYS.map(({ key, fallback }) => [key, fallback]))
export const fallbackOf = (key: string): unknown => FALLBACKS.get(key)

const callOf = ({ asked: { method }, path, theirs: { status } }: SeenExchange) =>
  `${method} ${path} answered ${status}`

// Ids, times and fields

const SEPARATED = /^.*[_-]/
const PLAIN = /^[0-9A-Za-z]+$/

const KINDS = [...(Object.keys(OWN_FIELDS) as ResourceName[]), 'event'] as const

const idRule: LearningRule = {
  keys: 'ids',
  *find(reading) {
    const lengths = new Set<number>()
    for (const kind of KINDS) {
      const ids = reading.idsOf(kind)
      // An id alone shows its prefix only by the length that other ids have.
      if (ids.length < 2) continue
      const prefix = SEPARATED.exec(commonStart(ids))?.[0]
      if (prefix === undefined) {
        yield { remark: `The ids of a ${kind} have no prefix that ends with _ or -, such as ${ids[0]}.` }
        continue
      }
      const seenIn = `${ids.length} ids`
      yield { key: `ids.prefixes.${kind}`, value: prefix, seenIn, saw: ids[0]! }
      const rests = ids.map((id) => id.slice(prefix.length))
      if (!rests.every((rest) => PLAIN.test(rest))) {
        yield { remark: `The ids of a ${kind} have more than letters and digits, such as ${ids[0]}.` }
        continue
      }
      for (const length of new Set(rests.map((rest) => rest.length))) {
        lengths.add(length)
        yield { key: 'ids.length', value: length, seenIn, saw: ids[0]! }
      }
    }
    const [length] = lengths
    if (lengths.size !== 1 || length === undefined) return
    for (const kind of KINDS) {
      const [id, ...others] = reading.idsOf(kind)
      const prefix = id?.slice(0, -length)
      if (id === undefined || others.length > 0 || !prefix?.match(/[_-]$/)) continue
      yield { key: `ids.prefixes.${kind}`, value: prefix, seenIn: 'one id', saw: id }
    }
  },
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
const isTimeField = (name: string) => name.endsWith('At') || name === 'timestamp'

const timeRule: LearningRule = {
  keys: 'timestamps',
  *find({ resources, events }) {
    for (const { fields, seenIn } of [...resources, ...events]) {
      for (const [name, value] of Object.entries(fields)) {
        if (!isTimeField(name) || value === null || value === undefined) continue
        const rest = typeof value === 'string' && TIME.test(value) ? value.slice(19) : undefined
        if (rest === 'Z' || (rest !== undefined && /^\.\d{3}Z$/.test(rest)))
          yield { key: 'timestamps.milliseconds', value: rest !== 'Z', seenIn, saw: `${name} ${value}` }
        else yield { remark: `A time is written in another way: ${name} is ${JSON.stringify(value)}.` }
      }
    }
  },
}

const fieldRule: LearningRule = {
  keys: 'answers.fields',
  *find({ resources, events }) {
    const envelope = ['id', 'type', 'timestamp', 'data']
    yield* extraFields(events, 'event', envelope)
    for (const [kind, own] of Object.entries(OWN_FIELDS))
      yield* extraFields(
        resources.filter((one) => one.kind === kind),
        kind,
        own,
      )
  },
}

/** A field with the same value in two resources or more, and in all of them. */
function* extraFields(
  seen: readonly { fields: JsonFields; seenIn: string }[],
  kind: string,
  own: readonly string[],
): Iterable<Sighting | Remark> {
  const ids = new Set(seen.map(({ fields }) => fields.id))
  if (ids.size < 2) return
  const constants: Record<string, unknown> = {}
  for (const name of new Set(seen.flatMap(({ fields }) => Object.keys(fields)))) {
    if (own.includes(name)) continue
    const values = new Set(seen.map(({ fields }) => JSON.stringify(fields[name])))
    const [value] = values
    if (values.size === 1 && value !== undefined) constants[name] = JSON.parse(value)
    else yield { remark: `A ${kind} has the field ${name}, which is not always the same.` }
  }
  for (const name of own.filter((one) => seen.some(({ fields }) => !Object.hasOwn(fields, one))))
    yield { remark: `A ${kind} does not always have the field ${name}.` }
  yield {
    key: `answers.fields.${kind}`,
    value: constants,
    seenIn: `${ids.size} of them`,
    saw: Object.keys(constants).join(', ') || 'no other field',
  }
}

// What is created

const CREATES = /\.create$|^checkouts\.refund$/

const createdRule: LearningRule = {
  keys: 'answers',
  *find({ exchanges }) {
    for (const exchange of exchanges) {
      const { operation, isSuccess, json, seenIn, theirs } = exchange
      if (!operation || !isSuccess || !CREATES.test(operation) || !isFields(json)) continue
      const saw = callOf(exchange)
      if (theirs.status === 200 || theirs.status === 201)
        yield { key: 'answers.created', value: theirs.status, seenIn, saw }
      else yield { remark: `${saw}, which no key says.` }
      const location = theirs.headers.location !== undefined
      yield { key: 'answers.location', value: location, seenIn, saw }
    }
  },
}

// States and events

const stateRule: LearningRule = {
  keys: 'states',
  *find({ resources, events }) {
    for (const resource of [...resources, ...events.map(({ about }) => about)]) {
      const { kind, fields, seenIn } = resource
      const key = `states.${kind}.${stateOf(resource)}`
      if (typeof fields.status === 'string' && FALLBACKS.has(key))
        yield { key, value: fields.status, seenIn, saw: `${fields.id}` }
    }
  },
}

/** What a first event is called is not the name of the state. */
const FIRST_STATES: Partial<Record<string, string>> = { pending: 'created', authorized: 'created' }

const eventRule: LearningRule = {
  keys: 'events',
  *find({ events }) {
    for (const { fields, about, seenIn } of events) {
      const state = stateOf(about)
      const key = `events.${about.kind}.${FIRST_STATES[state ?? ''] ?? state}`
      if (FALLBACKS.has(key)) yield { key, value: fields.type, seenIn, saw: `${fields.id}` }
    }
  },
}

// Lists and paths

const listRule: LearningRule = {
  keys: 'lists',
  *find({ lists }) {
    const cursors = new Map<unknown, SeenList>()
    for (const list of lists) {
      const { exchange, fields, name, items } = list
      const { operation, query, seenIn } = exchange
      // Elsewhere a field with a list is no page.
      if (list.kind === undefined && !operation) continue
      const saw = `${callOf(exchange)} with ${Object.keys(fields).join(', ')}`
      const others = Object.entries(fields).filter(([other]) => other !== name)
      const flags = others.filter(([, value]) => typeof value === 'boolean')
      const texts = others.filter(([, value]) => value === null || typeof value === 'string')
      yield { key: 'lists.items', value: name, seenIn, saw }
      if (flags.length === 1) yield { key: 'lists.hasMore', value: flags[0]![0], seenIn, saw }
      if (texts.length === 1) yield { key: 'lists.nextCursor', value: texts[0]![0], seenIn, saw }
      if (flags.length !== 1 || texts.length !== 1) {
        yield { remark: `A list is another: ${saw}.` }
        continue
      }
      const [hasMore, cursor] = [flags[0]![1], texts[0]![1]]
      if (query.size === 0 && hasMore === true)
        yield { key: 'lists.size', value: items.length, seenIn, saw: `${items.length} items, and more` }
      const numbers = [...query].filter(([, value]) => /^\d+$/.test(value))
      const [asked] = numbers
      // All that there is would be as many by chance.
      if (numbers.length === 1 && asked && hasMore === true && Number(asked[1]) === items.length)
        yield { key: 'lists.limit', value: asked[0], seenIn, saw: `?${asked.join('=')} gave ${items.length}` }
      for (const [parameter, value] of query) {
        const earlier = cursors.get(value)
        if (earlier === undefined || value === '' || sharesItems(earlier, list)) continue
        yield { key: 'lists.cursor', value: parameter, seenIn, saw: `?${parameter}= gave the next page` }
      }
      if (typeof cursor === 'string') cursors.set(cursor, list)
    }
  },
}

/** The numbers in the refusal of a page that is too long: the highest that is not the one that was asked for. */
const maxSizeRule: LearningRule = {
  keys: 'lists.maxSize',
  *find({ exchanges }) {
    for (const exchange of exchanges) {
      const { asked, query, theirs, json, seenIn } = exchange
      if (asked.method !== 'GET' || theirs.status !== 400 || !isFields(json)) continue
      const message = String(json.message)
      const [name, value] =
        [...query].find(([name, text]) => /^\d+$/.test(text) && message.includes(name)) ?? []
      if (name === undefined) continue
      const numbers = (message.match(/\d+/g) ?? []).map(Number).filter((number) => number < Number(value))
      const most = Math.max(...numbers)
      if (most > 1)
        yield { key: 'lists.maxSize', value: most, seenIn, saw: `?${name}=${value} was refused: ${message}` }
    }
  },
}

function sharesItems(one: SeenList, other: SeenList): boolean {
  const ids = (list: SeenList) => list.items.map((item) => (isFields(item) ? item.id : item))
  return ids(one).some((id) => ids(other).includes(id))
}

const LIST_PATHS = new Map<string, string>([
  ['checkout', 'checkouts.list'],
  ['authorization', 'authorizations.list'],
  ['refund', 'refunds.list'],
  ['customer', 'customers.list'],
  ['event', 'events.list'],
  ['refund of checkout', 'checkouts.refunds'],
  ['payment_method of customer', 'paymentMethods.list'],
])
const GET_PATHS = new Map<string, string>([
  ['checkout', 'checkouts.get'],
  ['authorization', 'authorizations.get'],
  ['refund', 'refunds.get'],
  ['customer', 'customers.get'],
  ['event', 'events.get'],
  ['payment_method of customer', 'paymentMethods.get'],
])

const pathRule: LearningRule = {
  keys: 'paths',
  *find(reading) {
    for (const list of reading.lists) {
      const { exchange, kind } = list
      if (kind === undefined || exchange.asked.method !== 'GET') continue
      const [owner, ...more] = idsIn(exchange.path, reading)
      const operation = LIST_PATHS.get(owner ? `${kind} of ${owner.kind}` : kind)
      if (operation && more.length === 0)
        yield pathSighting(operation, exchange.path, owner ? [owner.id] : [], exchange)
    }
    for (const exchange of reading.exchanges) {
      const { asked, json, isSuccess, path, theirs } = exchange
      if (!isSuccess || !isFields(json)) continue
      const { location } = theirs.headers
      if (asked.method === 'GET') yield* getPath(path, json, exchange, reading)
      else if (location !== undefined)
        yield* getPath(location.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*/, ''), json, exchange, reading)
    }
  },
}

function* getPath(
  path: string,
  json: JsonFields,
  exchange: SeenExchange,
  reading: Reading,
): Iterable<Sighting> {
  const kind = kindByFields(json)
  const ids = idsIn(path, reading)
  const own = ids.at(-1)
  if (kind === undefined || own?.id !== json.id || ids.length > 2) return
  const operation = GET_PATHS.get(ids.length === 2 ? `${kind} of ${ids[0]!.kind}` : kind)
  if (operation)
    yield pathSighting(
      operation,
      path,
      ids.map(({ id }) => id),
      exchange,
    )
}

/** The segments of a path that are ids which an answer had. */
const idsIn = (path: string, { ids }: Reading) =>
  path.split('/').flatMap((segment) => {
    const kind = ids.get(segment)
    return kind === undefined ? [] : [{ id: segment, kind }]
  })

function pathSighting(
  operation: string,
  path: string,
  ids: readonly string[],
  exchange: SeenExchange,
): Sighting {
  const key = `paths.${operation}`
  const names = wordsOf(String(fallbackOf(key)))
  const value = path
    .split('/')
    .map((segment) => (ids.includes(segment) ? `{${names[ids.indexOf(segment)]}}` : segment))
    .join('/')
  return { key, value, seenIn: exchange.seenIn, saw: callOf(exchange) }
}

// Headers

/** Names of headers are the same in upper and lower case. */
const headerName = (key: string, name: string) => {
  const fallback = String(fallbackOf(key))
  return fallback.toLowerCase() === name ? fallback : name
}

const replayRule: LearningRule = {
  keys: 'idempotency.replayHeader',
  *find({ exchanges }) {
    const key = 'idempotency.replayHeader'
    const firsts = new Map<string, SeenExchange>()
    for (const exchange of exchanges) {
      const { asked, isSuccess, theirs, seenIn } = exchange
      const sent = asked.headers['idempotency-key']
      if (sent === undefined || asked.method !== 'POST' || !isSuccess) continue
      const same = JSON.stringify([sent, asked.target, asked.body])
      const first = firsts.get(same)
      if (first === undefined) {
        firsts.set(same, exchange)
        continue
      }
      // Only the same bytes are surely a repeated answer.
      if (first.theirs.body !== theirs.body || !isFields(exchange.json)) continue
      const added = Object.keys(theirs.headers).filter(
        (name) => theirs.headers[name] === 'true' && first.theirs.headers[name] === undefined,
      )
      if (added.length > 1)
        yield { remark: `A repeated answer has several headers more: ${added.join(', ')}.` }
      else
        yield {
          key,
          value: added[0] === undefined ? null : headerName(key, added[0]),
          seenIn,
          saw: `the repeated ${callOf(exchange)}`,
        }
    }
  },
}

const keptRefusalsRule: LearningRule = {
  keys: 'idempotency.keptRefusals',
  *find({ exchanges }, known) {
    const key = 'idempotency.keptRefusals'
    const header = known('idempotency.replayHeader')
    // Without it a repeated refusal looks like a new one.
    if (typeof header !== 'string') return
    const kept = new Map<number, { isKept: boolean; exchange: SeenExchange }>()
    for (const exchange of exchanges) {
      const { theirs, ours } = exchange
      // A refusal before the operation is kept by none, so ours has to be a repeated one.
      if (theirs.status !== ours?.status || ours.headers['idempotent-replayed'] !== 'true') continue
      const isKept = theirs.headers[header.toLowerCase()] === 'true'
      const other = kept.get(theirs.status)
      if (other !== undefined && other.isKept !== isKept) {
        yield { remark: `A key sometimes keeps a ${theirs.status}.` }
        return
      }
      if (theirs.status >= 400) kept.set(theirs.status, { isKept, exchange })
    }
    const last = [...kept.values()].at(-1)
    if (last === undefined) return
    const value = (fallbackOf(key) as number[]).filter((status) => kept.get(status)?.isKept !== false)
    yield { key, value, seenIn: last.exchange.seenIn, saw: `repeated: ${[...kept.keys()].join(', ')}` }
  },
}

const refundDelayRule: LearningRule = {
  keys: 'refunds.delay',
  *find({ resources }) {
    const delays = new Map<string, { seconds: number; seenIn: string }>()
    for (const { kind, fields, seenIn } of resources) {
      const { id, createdAt, completedAt } = fields
      if (kind !== 'refund' || typeof completedAt !== 'string') continue
      const seconds = Math.round((Date.parse(completedAt) - Date.parse(String(createdAt))) / 1000)
      if (seconds >= 0) delays.set(String(id), { seconds, seenIn })
    }
    // One alone may have been completed by hand.
    if (delays.size < 2) return
    for (const [id, { seconds, seenIn }] of delays)
      yield { key: 'refunds.delay', value: formatDuration(seconds * 1000), seenIn, saw: id }
  },
}

const RATE_HEADERS = ['limit', 'remaining', 'reset'] as const

const rateRule: LearningRule = {
  keys: 'rateLimit',
  *find({ exchanges }) {
    for (const { theirs, seenIn } of exchanges) {
      const names = Object.keys(theirs.headers).filter((name) => /rate-?limit/.test(name))
      const found = RATE_HEADERS.map((part) => names.filter((name) => name.endsWith(`-${part}`)))
      // Without any, the service may be one whose limit is off.
      if (found.every(({ length }) => length === 0) || found.some(({ length }) => length > 1)) continue
      for (const [index, part] of RATE_HEADERS.entries()) {
        const key = `rateLimit.headers.${part}`
        const name = found[index]![0]
        yield { key, value: name === undefined ? null : headerName(key, name), seenIn, saw: names.join(', ') }
      }
      const reset = Number(theirs.headers[found[2]![0] ?? ''])
      const resetAs = reset > 1e9 && reset < 1e11 ? 'unix' : reset < 1e6 ? 'seconds' : undefined
      if (resetAs) yield { key: 'rateLimit.resetAs', value: resetAs, seenIn, saw: String(reset) }
    }
  },
}

// What is taken

const BODY_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  'checkouts.create': ['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl', 'paymentMethodType'],
  'authorizations.create': ['amount', 'customerId', 'externalId', 'paymentMethodId', 'orderId'],
  'authorizations.capture': ['amount'],
  'checkouts.confirm': ['paymentMethodId'],
  'checkouts.refund': ['amount'],
  'customers.create': ['externalId', 'name', 'email', 'phone'],
  'refunds.create': ['amount', 'checkoutId', 'authorizationId'],
}

const requestRule: LearningRule = {
  keys: 'requests',
  *find({ exchanges }) {
    for (const exchange of exchanges) {
      const { asked, operation = '', isSuccess, theirs, ours, seenIn, json } = exchange
      const body = asked.body === undefined ? undefined : jsonIn(asked.body)
      if (asked.method !== 'POST' || !isFields(body)) continue
      const saw = callOf(exchange)
      const isJson = /^application\/json\b/i.test(asked.headers['content-type'] ?? '')
      if (!isJson && (isSuccess || theirs.status === 415))
        yield { key: 'requests.mediaType', value: isSuccess ? 'lenient' : 'strict', seenIn, saw }
      const message = isFields(json) ? String(json.message) : ''
      const unknown = Object.keys(body).filter((name) => BODY_FIELDS[operation]?.includes(name) === false)
      const isRefusedFor = (name: string) => theirs.status === 400 && message.includes(name)
      if (BODY_FIELDS[operation] && unknown.length > 0) {
        if (isSuccess) yield { key: 'requests.unknownFields', value: 'ignore', seenIn, saw }
        else if (ours && ours.status < 300 && unknown.some(isRefusedFor))
          yield { key: 'requests.unknownFields', value: 'refuse', seenIn, saw }
      }
    }
    yield* requiredFields(exchanges)
  },
}

function* requiredFields(exchanges: readonly SeenExchange[]): Iterable<Sighting | Remark> {
  const key = 'requests.checkout'
  const required = new Set(fallbackOf(key) as string[])
  const seen: SeenExchange[] = []
  const needed = new Map<string, boolean>()
  for (const exchange of exchanges.filter(({ operation }) => operation === 'checkouts.create')) {
    const body = jsonIn(exchange.asked.body ?? '')
    if (!isFields(body)) continue
    const missing = BODY_FIELDS['checkouts.create']!.filter((name) => body[name] === undefined)
    const message = isFields(exchange.json) ? String(exchange.json.message) : ''
    const decided = exchange.isSuccess
      ? missing.map((name) => [name, false] as const)
      : exchange.theirs.status === 400 && missing.length === 1 && message.includes(missing[0]!)
        ? [[missing[0]!, true] as const]
        : []
    if (decided.length > 0) seen.push(exchange)
    for (const [name, isNeeded] of decided) {
      if (needed.get(name) === !isNeeded) {
        yield { remark: `${name} of a new checkout is sometimes required.` }
        return
      }
      needed.set(name, isNeeded)
    }
  }
  if (seen.length === 0) return
  for (const [name, isNeeded] of needed) isNeeded ? required.add(name) : required.delete(name)
  const last = seen.at(-1)!
  const value = BODY_FIELDS['checkouts.create']!.filter((name) => required.has(name))
  yield { key, value, seenIn: last.seenIn, saw: `tried: ${[...needed.keys()].join(', ')}` }
}

// Refusals

const refusalRule: LearningRule = {
  keys: 'errors.names',
  *find({ exchanges }) {
    for (const exchange of exchanges) {
      const { theirs, json, seenIn } = exchange
      if (theirs.status < 400) continue
      const key = `errors.names.${theirs.status}`
      if (isFields(json) && typeof json.error === 'string' && typeof json.message === 'string') {
        if (FALLBACKS.has(key)) yield { key, value: json.error, seenIn, saw: callOf(exchange) }
      } else yield { remark: `A refusal has another form: ${callOf(exchange)} without error and message.` }
    }
  },
}

const textRule: LearningRule = {
  keys: 'errors.texts',
  *find({ exchanges }, known) {
    const templates = new Map<TextName, { template: string; values: string; exchange: SeenExchange }[]>()
    const served = new Set(exchanges.filter(({ isSuccess }) => isSuccess).map(({ operation }) => operation))
    for (const exchange of exchanges) {
      const { theirs, ours, json, operation, asked } = exchange
      // At a path that the service does not have, it refuses something else.
      if (!ours || ours.status !== theirs.status || ours.status < 400) continue
      if (asked.method === 'GET' && operation && !served.has(operation)) continue
      const own = jsonIn(ours.body)
      const found = isFields(own) && typeof own.message === 'string' ? readMessage(own.message) : undefined
      if (!found || !isFields(json) || typeof json.message !== 'string') continue
      const template = templateOf(json.message, found.values, known)
      const one = { template, values: JSON.stringify(found.values), exchange }
      if (!templates.get(found.name)?.push(one)) templates.set(found.name, [one])
    }
    for (const [name, seen] of templates) {
      // A word in braces that is not there may stand for one value by chance.
      const isWhole = wordsOf(TEXTS[name]).every((word) => wordsOf(seen[0]!.template).includes(word))
      if (!isWhole && new Set(seen.map(({ values }) => values)).size < 2) continue
      for (const { template, exchange } of seen)
        yield { key: `errors.texts.${name}`, value: template, seenIn: exchange.seenIn, saw: callOf(exchange) }
    }
  },
}

function templateOf(
  message: string,
  values: Readonly<Record<string, string>>,
  known: (key: string) => unknown,
): string {
  let template = message
  for (const [word, value] of Object.entries(values)) {
    const isState = word === 'state' || word === 'needed'
    const theirs = isState ? known(`states.${(values.resource ?? '').toLowerCase()}.${value}`) : value
    if (value !== '' && typeof theirs === 'string') template = template.replaceAll(theirs, `{${word}}`)
  }
  return template
}

// Webhooks

const signatureRule: LearningRule = {
  keys: 'webhooks.signature',
  *find({ webhooks }) {
    for (const webhook of webhooks) {
      const signed = webhook.secret === undefined ? undefined : signatureIn(webhook, webhook.secret)
      if (signed === undefined) {
        if (webhook.secret !== undefined) yield { remark: 'No scheme of a profile explains a signature.' }
        continue
      }
      const named = (name: string, value: string | null) => {
        const key = `webhooks.signature.${name}`
        const isHeader = name.toLowerCase().endsWith('header') && value !== null
        return {
          key,
          value: isHeader ? headerName(key, value) : value,
          seenIn: webhook.seenIn,
          saw: 'a signature that fits the secret',
        }
      }
      for (const [name, value] of Object.entries(signed)) yield named(name, value)
    }
  },
}

interface Signed {
  scheme: 'standard' | 'timestamped' | 'hex'
  header: string
  prefix?: string
  idHeader: string | null
  timestampHeader: string | null
}

/** The header with a signature that fits, by the first scheme that explains it. */
function signatureIn({ headers, body }: SentWebhook, secret: string): Signed | undefined {
  const event = jsonIn(body.toString('utf8'))
  const id = isFields(event) ? event.id : undefined
  const named = (fits: (value: string) => boolean) =>
    Object.keys(headers).find((name) => fits(headers[name]!)) ?? null
  const idHeader = named((value) => value === id)
  const timestampHeader = named((value) => /^1\d{9}$/.test(value))
  const others = { idHeader, timestampHeader }
  const hmac = (key: string | Buffer, signedBefore: string) =>
    createHmac('sha256', key).update(signedBefore).update(body)
  const base64 = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  for (const [header, value] of Object.entries(headers)) {
    const seconds = /(?:^|,)t=(\d+)/.exec(value)?.[1]
    if (seconds && value.includes(`v1=${hmac(secret, `${seconds}.`).digest('hex')}`))
      return { scheme: 'timestamped', header, ...others }
    const [idText, time] = [headers[idHeader ?? ''], headers[timestampHeader ?? '']]
    if (value.includes(`v1,${hmac(base64, `${idText}.${time}.`).digest('base64')}`))
      return { scheme: 'standard', header, ...others }
    const digits = hmac(secret, '').digest('hex')
    if (value.endsWith(digits))
      return { scheme: 'hex', header, prefix: value.slice(0, -digits.length), ...others }
  }
  return undefined
}

/** In the order in which they are applied: what refusals say of a state needs its word. */
export const LEARNING_RULES: readonly LearningRule[] = [
  idRule,
  timeRule,
  fieldRule,
  createdRule,
  stateRule,
  eventRule,
  listRule,
  maxSizeRule,
  pathRule,
  replayRule,
  keptRefusalsRule,
  refundDelayRule,
  rateRule,
  requestRule,
  refusalRule,
  textRule,
  signatureRule,
]
