/** Rules for lists: the names in a page and in its query, the page sizes, and the paths of all reads. */
import { ENDPOINTS, READING_IDS, type ReadingId, writes } from '../../../spec/contract/endpoints.ts'
import { wordsOf } from '../../../spec/contract/texts.ts'
import { refusalMessage, type SeenExchange } from '../evidence.ts'
import type { Reading, SeenList } from '../reading.ts'
import { fallbackOf, type Noticed } from './rule.ts'

export function* listRule({ lists }: Reading): Noticed {
  const cursors = new Map<unknown, SeenList>()
  for (const list of lists) {
    const { exchange, fields, name, items } = list
    const { query } = exchange
    const others = Object.entries(fields).filter(([other]) => other !== name)
    const flags = others.filter(([, value]) => typeof value === 'boolean')
    const texts = others.filter(([, value]) => value === null || typeof value === 'string')
    yield { key: 'lists.items', value: name, exchange }
    if (flags.length === 1) yield { key: 'lists.hasMore', value: flags[0]![0], exchange }
    if (texts.length === 1) yield { key: 'lists.nextCursor', value: texts[0]![0], exchange }
    if (flags.length !== 1 || texts.length !== 1) continue
    const [hasMore, cursor] = [flags[0]![1], texts[0]![1]]
    if (query.size === 0 && hasMore === true) yield { key: 'lists.size', value: items.length, exchange }
    const numbers = [...query].filter(([, value]) => /^\d+$/.test(value))
    const [asked] = numbers
    // Requires a next page: without one, the number of items may equal the limit by chance.
    if (numbers.length === 1 && asked && hasMore === true && Number(asked[1]) === items.length)
      yield { key: 'lists.limit', value: asked[0], exchange }
    for (const [parameter, value] of query) {
      const earlier = cursors.get(value)
      if (earlier === undefined || value === '' || sharesItems(earlier, list)) continue
      yield { key: 'lists.cursor', value: parameter, exchange }
    }
    if (typeof cursor === 'string') cursors.set(cursor, list)
  }
}

/** The largest number in the refusal of an oversized page, other than the requested one. */
export function* maxSizeRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { asked, query, theirs, json } = exchange
    const message = refusalMessage(json)
    if (writes(asked.method) || theirs.status !== 400 || message === undefined) continue
    const [name, value] =
      [...query].find(([name, text]) => /^\d+$/.test(text) && message.includes(name)) ?? []
    if (name === undefined) continue
    const numbers = (message.match(/\d+/g) ?? []).map(Number).filter((number) => number < Number(value))
    const most = Math.max(...numbers)
    if (most > 1) yield { key: 'lists.maxSize', value: most, exchange }
  }
}

function sharesItems(list: SeenList, next: SeenList): boolean {
  const items = new Set(list.items.map((item) => JSON.stringify(item)))
  return next.items.some((item) => items.has(JSON.stringify(item)))
}

/** Keyed by what is read, such as `read refund`, or `list refund checkout` under the path of a checkout. */
const READS = new Map(
  READING_IDS.map((id): [string, ReadingId] => {
    const row = ENDPOINTS[id]
    return [[row.does, row.what, ...('of' in row ? [row.of] : [])].join(' '), id]
  }),
)

export function* pathRule(reading: Reading): Noticed {
  for (const { exchange, kind } of reading.lists)
    yield* pathOf('list', kind, idsIn(exchange.path, reading), exchange.path, exchange)
  for (const exchange of reading.exchanges) {
    const { asked, isSuccess, json, theirs } = exchange
    const shown = reading.knownIn(json)
    const { location } = theirs.headers
    const path = writes(asked.method) ? location?.replace(/^https?:\/\/[^/]+|\?.*/g, '') : exchange.path
    if (!isSuccess || !shown || path === undefined) continue
    const ids = idsIn(path, reading)
    if (ids.at(-1)?.id === shown.id) yield* pathOf('read', shown.kind, ids, path, exchange)
  }
}

/** The path segments that are ids from earlier responses. */
const idsIn = (path: string, { ids }: Reading) =>
  path.split('/').flatMap((id) => {
    const known = ids.get(id)
    return known === undefined ? [] : [{ id, kind: known.kind }]
  })

type PathId = ReturnType<typeof idsIn>[number]

/** The path with its ids as placeholders. The ids before that of a read resource are of its owner. */
function* pathOf(
  does: 'list' | 'read',
  kind: string,
  ids: readonly PathId[],
  path: string,
  exchange: SeenExchange,
): Noticed {
  const owners = does === 'list' ? ids : ids.slice(0, -1)
  const operation = READS.get([does, kind, ...owners.map((owner) => owner.kind)].join(' '))
  if (operation === undefined) return
  const key = `paths.${operation}`
  const names = wordsOf(String(fallbackOf(key)))
  const value = path
    .split('/')
    .map((segment) => {
      const index = ids.findIndex(({ id }) => id === segment)
      return index === -1 ? segment : `{${names[index]}}`
    })
    .join('/')
  yield { key, value, exchange }
}
