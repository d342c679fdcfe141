/** Rules for resources and events: ids, names, words, times and fields, and the response to a creation. */
import { formatDuration } from '../../../spec/contract/duration.ts'
import { isCreation } from '../../../spec/contract/endpoints.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import { FIELDS, SHOWN_IN } from '../../../spec/contract/profile-kinds.ts'
import { DEFINITIONS } from '../../../spec/contract/resources/index.ts'
import { TIMED_MOVES } from '../../../spec/contract/resources/timed.ts'
import { isTime } from '../../../spec/contract/time.ts'
import { isUuid } from '../../../tester/alike/made-anew.ts'
import type { SeenExchange } from '../evidence.ts'
import type { Pair } from '../names.ts'
import { type Reading, SEEN_KINDS, type SeenKind } from '../reading.ts'
import { type Noticed, rowOf } from './rule.ts'

export const nameRule = ({ names }: Reading): Noticed => names.seen

/** A prefix ends with the last separator. */
const SEPARATED = /^(.*[_-])([0-9A-Za-z]+)$/

export function* idRule({ ids }: Reading): Noticed {
  for (const [id, { kind, exchange }] of ids) {
    const [, prefix, rest] = SEPARATED.exec(id) ?? []
    // A UUID has separators and no prefix.
    if (prefix === undefined || rest === undefined || isUuid(id)) continue
    yield { key: `ids.prefixes.${kind}`, value: prefix, exchange }
    yield { key: 'ids.length', value: rest.length, exchange }
  }
}

/** For each key, the fields that reveal it: the time format, and the names of currencies, states and event types. */
const SHOWN = new Map(
  SEEN_KINDS.map((kind) => {
    const shown = FIELDS[kind].map((name) => ({ name, key: SHOWN_IN[kind][name] }))
    return [kind, shown.flatMap(({ name, key }) => (key === undefined ? [] : [{ name, key }]))]
  }),
)

export function* wordRule({ pairs }: Reading): Noticed {
  for (const [kind, ofKind] of pairs)
    for (const { ours, theirs, exchange } of ofKind.filter((pair) => isSameState(kind, pair)))
      for (const { name, key: section } of SHOWN.get(kind)!) {
        const value = theirs[name]
        if (value === null || value === undefined) continue
        if (section === 'timestamps.milliseconds') {
          const rest = typeof value === 'string' && isTime(value) ? value.slice(19) : ''
          if (/^(\.\d{3})?Z$/.test(rest)) yield { key: section, value: rest !== 'Z', exchange }
        } else {
          const key = rowOf(section) ? section : `${section}.${ours[name]}`
          yield { key, value, exchange }
        }
      }
}

/** One side's resource may have changed further, which its times show. */
const isSameState = (kind: SeenKind, { ours, theirs }: Pair) =>
  FIELDS[kind].every(
    (name) =>
      !name.endsWith('At') || theirs[name] === undefined || (ours[name] === null) === (theirs[name] === null),
  )

/**
 * Fields that all of at least two resources have with the same value, and fields that none of them has. If both sides have fields
 * that the other does not, these may be the same under other names, so nothing is learned.
 */
export function* fieldsRule({ pairs, names }: Reading): Noticed {
  for (const [kind, seen] of pairs) {
    const missing = names.unknown(kind)
    if (missing.own.length > 0 && missing.names.length > 0) continue
    const count = new Set(seen.map(({ theirs }) => theirs.id)).size
    if (count < 2) continue
    const constants = missing.names.flatMap((name) => {
      const [value, ...others] = new Set(seen.map(({ theirs }) => JSON.stringify(theirs[name])))
      return others.length === 0 && value !== undefined ? [[name, JSON.parse(value)]] : []
    })
    const { exchange } = seen[0]!
    yield { key: `answers.fields.${kind}`, value: Object.fromEntries(constants), exchange }
    yield { key: `answers.leaveOut.${kind}`, value: missing.own, exchange }
  }
}

export function* createdRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { operation, isSuccess, json, theirs } = exchange
    if (!operation || !isSuccess || !isCreation(operation) || !isObject(json)) continue
    if (theirs.status === 200 || theirs.status === 201)
      yield { key: 'answers.created', value: theirs.status, exchange }
    yield { key: 'answers.location', value: theirs.headers.location !== undefined, exchange }
  }
}

export function* delayRule({ pairs }: Reading): Noticed {
  for (const { kind, from, to } of TIMED_MOVES) {
    const { collection, states } = DEFINITIONS[kind]
    const since = from.map((state) => (state === states[0] ? 'createdAt' : `${state}At`))
    const delays = new Map<unknown, { seconds: number; exchange: SeenExchange }>()
    for (const { theirs, exchange } of pairs.get(kind)!) {
      const { id, [`${to}At`]: movedAt } = theirs
      if (typeof movedAt !== 'string' || exchange.setsDelay) continue
      const start = Math.max(...since.map((name) => Date.parse(String(theirs[name])) || 0))
      const seconds = Math.round((Date.parse(movedAt) - start) / 1000)
      // Without the names of these times, the delay would be since 1970.
      if (start > 0 && seconds >= 0) delays.set(id, { seconds, exchange })
    }
    // A single one may have been moved by hand.
    if (delays.size < 2) continue
    for (const { seconds, exchange } of delays.values())
      yield { key: `${collection}.delay`, value: formatDuration(seconds * 1000), exchange }
  }
}
