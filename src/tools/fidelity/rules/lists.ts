/** Rules for lists: the names in a page and in its query, the page sizes, and the paths of all reads. */
import { ENDPOINTS, READING_IDS, type ReadingId, writes } from '../../../spec/contract/endpoints.ts'
import { wordsOf } from '../../../spec/contract/texts.ts'
import { refusalMessage, type Sighting } from '../evidence.ts'
import type { Reading, SeenExchange, SeenList } from '../reading.ts'
import { answeredCall, fallbackOf, type Noticed } from './rule.ts'

export function* listRule({ lists }: Reading): Noticed {
  const cursors = new Map<unknown, SeenList>()
  for (const list of lists) {
    const { exchange, fields, name, items } = list
    const { query, seenIn } = exchange
    const saw = `${answeredCall(exchange)} with ${Object.keys(fields).join(', ')}`
    const others = Object.entries(fields).filter(([other]) => other !== name)
    const flags = others.filter(([, value]) => typeof value === 'boolean')
    const texts = others.filter(([, value]) => value === null || typeof value === 'string')
    yield { key: 'lists.items', value: name, seenIn, saw }
    if (flags.length === 1) yield { key: 'lists.hasMore', value: flags[0]![0], seenIn, saw }
    if (texts.length === 1) yield { key: 'lists.nextCursor', value: texts[0]![0], seenIn, saw }
    if (flags.length !== 1 || texts.length !== 1) continue
    const [hasMore, cursor] = [flags[0]![1], texts[0]![1]]
    if (query.size === 0 && hasMore === true)
      yield { key: 'lists.size', value: items.length, seenIn, saw: `${items.length} items, and more` }
    const numbers = [...query].filter(([, value]) => /^\d+$/.test(value))
    const [asked] = numbers
    // Requires a next page: without one, the number of items may equal the limit by chance.
    if (numbers.length === 1 && asked && hasMore === true && Number(asked[1]) === items.length)
      yield { key: 'lists.limit', value: asked[0], seenIn, saw: `?${asked.join('=')} gave ${items.length}` }
    for (const [parameter, value] of query) {
      const earlier = cursors.get(value)
      if (earlier === undefined || value === '' || sharesItems(earlier, list)) continue
      yield { key: 'lists.cursor', value: parameter, seenIn, saw: `?${parameter}= gave the next page` }
    }
    if (typeof cursor === 'string') cursors.set(cursor, list)
  }
}

/** The largest number in the refusal of an oversized page, other than the requested one. */
export function* maxSizeRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { asked, query, theirs, json, seenIn } = exchange
    const message = refusalMessage(json)
    if (writes(asked.method) || theirs.status !== 400 || message === undefined) continue
    const [name, value] =
      [...query].find(([name, text]) => /^\d+$/.test(text) && message.includes(name)) ?? []
    if (name === undefined) continue
    const numbers = (message.match(/\d+/g) ?? []).map(Number).filter((number) => number < Number(value))
    const most = Math.max(...numbers)
    if (most > 1)
      yield { key: 'lists.maxSize', value: most, seenIn, saw: `?${name}=${value} was refused: ${message}` }
  }
}

function sharesItems(list: SeenList, next: SeenList): boolean {
  const items = new Set(list.items.map((item) => JSON.stringify(item)))
  return next.items.some((item) => items.has(JSON.stringify(item)))
}

/** Keyed by what is read, such as `refund`, or `refund of checkout` under the path of a checkout. */
const operationsThat = (does: 'list' | 'read') =>
  new Map(
    READING_IDS.filter((id) => ENDPOINTS[id].does === does).map((id): [string, ReadingId] => {
      const row = ENDPOINTS[id]
      return ['of' in row ? `${row.what} of ${row.of}` : row.what, id]
    }),
  )
const LIST_PATHS = operationsThat('list')
const GET_PATHS = operationsThat('read')

export function* pathRule(reading: Reading): Noticed {
  for (const { exchange, kind } of reading.lists) {
    const [owner, ...more] = idsIn(exchange.path, reading)
    const operation = LIST_PATHS.get(owner ? `${kind} of ${owner.kind}` : kind)
    if (operation && more.length === 0)
      yield pathSighting(operation, exchange.path, owner ? [owner.id] : [], exchange)
  }
  for (const exchange of reading.exchanges) {
    const { asked, isSuccess, path, theirs } = exchange
    if (!isSuccess) continue
    const { location } = theirs.headers
    if (!writes(asked.method)) yield* getPath(path, exchange, reading)
    else if (location !== undefined)
      yield* getPath(location.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*/, ''), exchange, reading)
  }
}

function* getPath(path: string, exchange: SeenExchange, reading: Reading): Noticed {
  const shown = reading.knownIn(exchange.json)
  const ids = idsIn(path, reading)
  if (shown === undefined || ids.at(-1)?.id !== shown.id || ids.length > 2) return
  const operation = GET_PATHS.get(ids.length === 2 ? `${shown.kind} of ${ids[0]!.kind}` : shown.kind)
  if (operation)
    yield pathSighting(
      operation,
      path,
      ids.map(({ id }) => id),
      exchange,
    )
}

/** The path segments that are ids from earlier responses. */
const idsIn = (path: string, { ids }: Reading) =>
  path.split('/').flatMap((segment) => {
    const kind = ids.get(segment)
    return kind === undefined ? [] : [{ id: segment, kind }]
  })

function pathSighting(
  operation: ReadingId,
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
  return { key, value, seenIn: exchange.seenIn, saw: answeredCall(exchange) }
}
