/**
 * Rules for resources and events: ids, times, fields, states and their names, and the answer to a creation.
 */

import { DEFAULT_CONTRACT } from '../../../spec/contract/contract.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import { isCreation } from '../../../spec/contract/endpoints.ts'
import {
  EVENT_FIELDS,
  EVENT_TYPES,
  EventEnvelope,
  type EventType,
  RESOURCES,
  type ResourceName,
  resourceName,
} from '../../../spec/contract/event.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import { oneOfKind } from '../../../spec/contract/profile-table.ts'
import { shownIn } from '../../../spec/contract/worded.ts'
import { areTimes } from '../../../tester/alike/time-order.ts'
import type { JsonFields } from '../evidence.ts'
import { OWN_FIELDS, type Reading, type SeenResource, stateOf } from '../reading.ts'
import { answeredCall, hasKey, type Known, type Noticed } from './rule.ts'

export function* nameRule({ names }: Reading): Noticed {
  for (const { kind, own, name, seenIn } of names.seen)
    yield { key: `fields.${kind}.${own}`, value: name, seenIn, saw: `${name} beside our ${own}` }
  for (const remark of names.remarks) yield { remark }
}

const SEPARATED = /^.*[_-]/
const PLAIN = /^[0-9A-Za-z]+$/

const KINDS = [...(Object.keys(OWN_FIELDS) as ResourceName[]), 'event'] as const

export function* idRule(reading: Reading): Noticed {
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
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

const { wording } = DEFAULT_CONTRACT

/** The fields of a resource, or of an event beside its data, at which a key shows. */
const shownOf = (kind: SeenResource['kind'] | 'event', key: string, fields: JsonFields) =>
  shownIn(wording.of(kind === 'event' ? EventEnvelope : RESOURCES[kind]), key, fields)

export function* timeRule({ resources, events }: Reading): Noticed {
  const all = [...resources, ...events.map((event) => ({ ...event, kind: 'event' as const }))]
  for (const { kind, fields, seenIn } of all) {
    for (const [name, value] of shownOf(kind, 'timestamps.milliseconds', fields)) {
      if (value === null || value === undefined) continue
      const rest = typeof value === 'string' && areTimes(value) ? value.slice(19) : undefined
      if (rest === 'Z' || (rest !== undefined && /^\.\d{3}Z$/.test(rest)))
        yield { key: 'timestamps.milliseconds', value: rest !== 'Z', seenIn, saw: `${name} ${value}` }
      else yield { remark: `A time is written in another way: ${name} is ${JSON.stringify(value)}.` }
    }
  }
}

export function* fieldRule({ resources, events, names }: Reading): Noticed {
  for (const { kind, own, seen } of byKind({ resources, events }))
    yield* extraFields(seen, kind, own, names.unsure(kind))
}

export function* leaveOutRule({ resources, events, names }: Reading): Noticed {
  for (const { kind, own, seen } of byKind({ resources, events }))
    yield* missingFields(seen, kind, own, names.unsure(kind))
}

interface SeenFields {
  fields: JsonFields
  seenIn: string
}

type Unsure = ReturnType<Reading['names']['unsure']>

const byKind = ({ resources, events }: Pick<Reading, 'resources' | 'events'>) => [
  { kind: 'event' as const, own: EVENT_FIELDS, seen: events as readonly SeenFields[] },
  ...Object.entries(OWN_FIELDS).map(([kind, own]) => ({
    kind: kind as ResourceName,
    own,
    seen: resources.filter((one) => one.kind === kind) as readonly SeenFields[],
  })),
]

/** A field with the same value in two resources or more, and in all of them. */
function* extraFields(
  seen: readonly SeenFields[],
  kind: string,
  own: readonly string[],
  unsure: Unsure,
): Noticed {
  const ids = new Set(seen.map(({ fields }) => fields.id))
  if (ids.size < 2) return
  const constants: Record<string, unknown> = {}
  for (const name of new Set(seen.flatMap(({ fields }) => Object.keys(fields)))) {
    if (own.includes(name)) continue
    const values = new Set(seen.map(({ fields }) => JSON.stringify(fields[name])))
    const [value] = values
    if (values.size === 1 && value !== undefined) constants[name] = JSON.parse(value)
    else yield { remark: `The field ${name} of ${oneOfKind(kind)} is not always the same.` }
  }
  // Where a field of ours is missing, a field that we do not know may be that one under another name.
  const others = own.some((name) => isMissing(seen, name)) ? Object.keys(constants) : []
  const names = others.filter((name) => !unsure || unsure.names.includes(name))
  if (names.some((name) => !unsure || constants[name] !== null)) {
    yield { remark: `Perhaps fields of ${oneOfKind(kind)} by other names: ${names.join(', ')}.` }
    return
  }
  const value = Object.fromEntries(Object.entries(constants).filter(([name]) => !names.includes(name)))
  const saw = Object.keys(value).join(', ') || 'no other field'
  yield { key: `answers.fields.${kind}`, value, seenIn: `${ids.size} of them`, saw }
}

const isMissing = (seen: readonly SeenFields[], name: string) =>
  seen.every(({ fields }) => !Object.hasOwn(fields, name))

/** A field that is missing in all of at least two resources. */
function* missingFields(
  seen: readonly SeenFields[],
  kind: string,
  own: readonly string[],
  unsure: Unsure,
): Noticed {
  if (new Set(seen.map(({ fields }) => fields.id)).size < 2) return
  const missing = own.filter((name) => isMissing(seen, name) && !unsure?.own.includes(name))
  for (const name of own.filter((one) => seen.some(({ fields }) => !Object.hasOwn(fields, one))))
    if (!isMissing(seen, name))
      yield { remark: `The field ${name} of ${oneOfKind(kind)} is not always there.` }
  const others = new Set(
    seen.flatMap(({ fields }) => Object.keys(fields)).filter((name) => !own.includes(name)),
  )
  if (!unsure && missing.length > 0 && others.size > 0) {
    const fields = `${missing.join(', ')} of ${oneOfKind(kind)}, and new are ${[...others].join(', ')}`
    yield { remark: `Missing are ${fields}: if these are other names, write them as fields.${kind}.` }
    return
  }
  const [{ seenIn }] = seen as [SeenFields]
  const saw = missing.length === 0 ? 'all its fields' : `no ${missing.join(', no ')}`
  yield { key: `answers.leaveOut.${kind}`, value: missing, seenIn, saw }
}

export function* currencyRule({ resources }: Reading): Noticed {
  for (const { kind, fields, seenIn } of resources)
    for (const [name, value] of shownOf(kind, 'answers.currency', fields))
      yield { key: 'answers.currency', value, seenIn, saw: `${name} ${JSON.stringify(value)}` }
}

export function* createdRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { operation, isSuccess, json, seenIn, theirs } = exchange
    if (!operation || !isSuccess || !isCreation(operation) || !isObject(json)) continue
    const saw = answeredCall(exchange)
    if (theirs.status === 200 || theirs.status === 201)
      yield { key: 'answers.created', value: theirs.status, seenIn, saw }
    else yield { remark: `${saw}, which no key says.` }
    const location = theirs.headers.location !== undefined
    yield { key: 'answers.location', value: location, seenIn, saw }
  }
}

export function* stateRule({ resources, events }: Reading): Noticed {
  for (const resource of [...resources, ...events.map(({ about }) => about)]) {
    const { kind, fields, seenIn } = resource
    const states = `states.${kind}`
    // Where a time has no name yet, the same request made the same state on both sides.
    const key = `${states}.${stateOf(resource) ?? resource.ours?.status}`
    for (const [, value] of shownOf(kind, states, fields))
      if (typeof value === 'string' && hasKey(key)) yield { key, value, seenIn, saw: `${fields.id}` }
  }
}

/**
 * The state that a resource has after each event. By it the type of an event is recognized, as a service may
 * name it by any word: so two events of one kind have two states.
 */
export const STATE_TOLD: Readonly<Record<EventType, string>> = {
  'checkout.created': 'pending',
  'checkout.approved': 'approved',
  'checkout.confirmed': 'confirmed',
  'checkout.canceled': 'canceled',
  'authorization.created': 'authorized',
  'authorization.captured': 'captured',
  'authorization.voided': 'voided',
  'refund.created': 'pending',
  'refund.completed': 'completed',
  'customer.created': 'created',
  'payment_method.attached': 'attached',
  'payment_method.detached': 'detached',
}

export function* eventRule({ events }: Reading, known: Known): Noticed {
  for (const { fields, about, seenIn } of events) {
    const state = stateOf(about)
    const isTold = (told: string) =>
      state === undefined ? known(`states.${about.kind}.${told}`) === about.fields.status : told === state
    const type = EVENT_TYPES.find((one) => resourceName(one) === about.kind && isTold(STATE_TOLD[one]))
    if (type) yield { key: `events.${type}`, value: fields.type, seenIn, saw: `${fields.id}` }
  }
}

export function* refundDelayRule({ resources, ownDelays }: Reading): Noticed {
  const delays = new Map<string, { seconds: number; seenIn: string }>()
  for (const { kind, fields, seenIn } of resources) {
    const { id, createdAt, completedAt } = fields
    if (kind !== 'refund' || typeof completedAt !== 'string' || ownDelays.has(seenIn)) continue
    const seconds = Math.round((Date.parse(completedAt) - Date.parse(String(createdAt))) / 1000)
    if (seconds >= 0) delays.set(String(id), { seconds, seenIn })
  }
  // One alone may have been completed by hand.
  if (delays.size < 2) return
  for (const [id, { seconds, seenIn }] of delays)
    yield { key: 'refunds.delay', value: formatDuration(seconds * 1000), seenIn, saw: id }
}
