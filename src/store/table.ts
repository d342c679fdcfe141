/** What every table with ids can do, so that a store file only adds the questions that no other table is asked. */
import type { z } from 'zod'
import { formatCursor } from '../contract/pages.ts'
import { tableColumns } from './columns.ts'
import { KeptRows } from './kept-rows.ts'
import { LOOKED_AT_ROWS } from './look-back.ts'
import { LIMIT, LIMIT_AND_ONE_MORE, type Statements } from './statements.ts'

export interface TablePage<Row> {
  data: Row[]
  hasMore: boolean
  nextCursor: string | null
}

export type ListQuery = { limit: number; cursor?: number | undefined } & Record<
  string,
  string | number | undefined
>

type Value = string | number

/** What one step of a count reads in its index, and one of a sum in its rows: 2 to 4 ms. */
const COUNTED_ROWS = 50_000
const SUMMED_ROWS = 5_000

/** What a search looks for: a text, and the amounts in cents that it may mean. */
export interface SearchTerm {
  text: string
  amounts: readonly number[]
}

export interface Table<Row> {
  insert(row: Row): void
  /** Writes every column that is not fixed. */
  update(row: Row): void
  /** Rows were changed by a statement of the table's own. */
  changedOtherwise(): void
  /** It is frozen, as are the rows of a page: they are kept, and handed out again until they are changed. */
  find(id: string): Row | undefined
  /** Newest first. Rows are numbered in insertion order, so rows that are added do not move a page (D24). */
  list(query: ListQuery): TablePage<Row>
  count(): number
  /** How many rows a list would have, counted up to `most`. */
  countUpTo(most: number, query?: Omit<ListQuery, 'limit'>): number
  /** Rows that begin with the text, of all; then newest first those that have it anywhere, of the newest. */
  search(term: SearchTerm, limit: number): Row[]
  /** How many rows have which value of a column with an index; in steps, between which rows may change. */
  countBy(column: keyof Row & string): Generator<undefined, Record<string, number>>
  /** How many rows have this status, and how much their amounts are; in the same steps. */
  amountsOf(status: string): Generator<undefined, { count: number; amount: number }>
  /** The places of all rows, so many at a time. */
  steps(rows: number): Generator<readonly [after: number, upTo: number]>
  /** A row's place in insertion order, which is what a cursor holds. */
  placeOf(id: string): number | undefined
  /** Questions that only this table is asked; `rest` is what follows the table's name in the SQL. */
  finder<Values extends unknown[]>(rest: string): (...values: Values) => Row | undefined
  lister<Values extends unknown[]>(rest: string): (...values: Values) => Row[]
}

interface TableOptions<Row> {
  /** Columns that never change, so that an update leaves them and their indexes alone. */
  fixed?: readonly (keyof Row & string)[]
  /** Columns that a list can be narrowed by, the most selective first: its index is the one that is used. */
  filters?: readonly (keyof Row & string)[]
  /** Columns that a search looks into beside the id: `beginnings` have an index. */
  searched?: {
    beginnings?: readonly (keyof Row & string)[]
    parts?: readonly (keyof Row & string)[]
    amount?: keyof Row & string
  }
}

export function table<Row extends { id: string }>(
  db: Statements,
  name: string,
  schema: z.ZodObject & z.ZodType<Row>,
  { fixed = [], filters = [], searched = {} }: TableOptions<Row> = {},
): Table<Row> {
  const columns = tableColumns(schema)
  const insert = db.prepare<unknown[]>(`INSERT INTO ${name} ${columns.insertion}`)
  const changing = tableColumns(schema, ['id', ...fixed])
  const update = db.prepare<unknown[]>(`UPDATE ${name} SET ${changing.assignments} WHERE id = ?`)
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck()
  const last = db.prepare<[], number | null>(`SELECT max(seq) FROM ${name}`).pluck()
  const place = db.prepare<[string], number>(`SELECT seq FROM ${name} WHERE id = ?`).pluck()
  const placeOf = (id: string) => place.get(id)

  function* steps(rows: number): Generator<[after: number, upTo: number]> {
    const end = last.get() ?? 0
    for (let after = 0; after < end; after += rows) yield [after, after + rows]
  }

  function finder<Values extends unknown[]>(rest: string) {
    const statement = db.prepare<Values, unknown[]>(`SELECT ${columns.row} FROM ${name} ${rest}`).raw()
    return (...values: Values): Row | undefined => {
      const found = statement.get(...values)
      return found && columns.rowOf(found)
    }
  }

  function lister<Values extends unknown[]>(rest: string) {
    const statement = db.prepare<Values, unknown[]>(`SELECT ${columns.row} FROM ${name} ${rest}`).raw()
    return (...values: Values): Row[] => statement.all(...values).map((found) => columns.rowOf(found))
  }

  const kept = new KeptRows<Row>(
    finder<[string]>('WHERE id = ?'),
    lister<[string]>('WHERE id IN (SELECT value FROM json_each(?))'),
  )
  db.onWritesTakenBack(() => kept.clear())

  return {
    insert(row) {
      insert.run(...columns.valuesOf(row))
    },
    update(row) {
      kept.changed(row.id)
      const { changes } = update.run(...changing.valuesOf(row), row.id)
      if (changes !== 1) throw new Error(`no row ${row.id} in ${name}`)
    },
    changedOtherwise: () => kept.clear(),
    find: (id) => kept.find(id),
    finder,
    lister,
    list: listing(db, name, filters, (ids) => kept.findAll(ids), placeOf),
    count: () => count.get() ?? 0,
    countUpTo: counting(db, name, filters),
    search: searching(lister, name, searched),
    steps,
    *countBy(column) {
      const next = db
        .prepare<[string], string | null>(`SELECT min(${column}) FROM ${name} WHERE ${column} > ?`)
        .pluck()
      const some = db
        .prepare<[string, number, number], number>(
          `SELECT count(*) FROM ${name} WHERE ${column} = ? AND seq > ? AND seq <= ?`,
        )
        .pluck()
      const counts: Record<string, number> = {}
      for (let value = next.get(''); value; value = next.get(value)) {
        counts[value] = 0
        for (const [after, upTo] of steps(COUNTED_ROWS)) {
          counts[value]! += some.get(value, after, upTo)!
          yield
        }
      }
      return counts
    },
    *amountsOf(status) {
      const some = db
        .prepare<[string, number, number], [number, number]>(
          `SELECT count(*), total(amount) FROM ${name} WHERE status = ? AND seq > ? AND seq <= ?`,
        )
        .raw()
      const all = { count: 0, amount: 0 }
      for (const [after, upTo] of steps(SUMMED_ROWS)) {
        const [count, amount] = some.get(status, after, upTo)!
        all.count += count
        all.amount += amount
        yield
      }
      return all
    },
    placeOf,
  }
}

/** One statement for each set of filters that is asked for; the names come from the code, never from a caller. */
function listing<Row>(
  db: Statements,
  name: string,
  filters: readonly string[],
  findAll: (ids: readonly string[]) => Row[],
  placeOf: (id: string) => number | undefined,
): Table<Row>['list'] {
  const prepare = (used: readonly string[], afterCursor: boolean) => {
    // A plus keeps SQLite from the column's index; without statistics it would choose any.
    const conditions = [
      ...used.map((column, at) => `${at === 0 ? '' : '+'}${column} = ?`),
      ...(afterCursor ? ['seq < ?'] : []),
    ]
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    return db
      .prepare<Value[], string>(`SELECT id FROM ${name} ${where} ORDER BY seq DESC ${LIMIT_AND_ONE_MORE}`)
      .pluck()
  }
  const statements = new Map<string, ReturnType<typeof prepare>>()

  return ({ limit, cursor, ...query }) => {
    const used = filters.filter((column) => query[column] !== undefined)
    const key = `${used.join()}${cursor === undefined ? '' : '<'}`
    const statement = statements.get(key) ?? prepare(used, cursor !== undefined)
    statements.set(key, statement)

    const values = used.map((column) => query[column] as Value)
    const ids = statement.all(...values, ...(cursor === undefined ? [] : [cursor]), limit)
    const hasMore = ids.length > limit
    if (hasMore) ids.pop()
    const nextCursor = hasMore ? formatCursor(placeOf(ids[limit - 1]!)!) : null
    return { data: findAll(ids), hasMore, nextCursor }
  }
}

/** A count that stops: counting 300,000 rows would keep everybody else waiting. */
function counting<Row>(db: Statements, name: string, filters: readonly string[]): Table<Row>['countUpTo'] {
  const prepare = (used: readonly string[]) => {
    const where = used.length > 0 ? `WHERE ${used.map((column) => `${column} = ?`).join(' AND ')}` : ''
    return db
      .prepare<Value[], number>(`SELECT count(*) FROM (SELECT 1 FROM ${name} ${where} ${LIMIT})`)
      .pluck()
  }
  const statements = new Map<string, ReturnType<typeof prepare>>()
  return (most, query = {}) => {
    const used = filters.filter((column) => query[column] !== undefined)
    const statement = statements.get(used.join()) ?? prepare(used)
    statements.set(used.join(), statement)
    return statement.get(...used.map((column) => query[column] as Value), most) ?? 0
  }
}

/** Sorts behind every text that begins with the text before it. */
const LAST = '\u{10ffff}'

function searching<Row extends { id: string }>(
  lister: Table<Row>['lister'],
  name: string,
  { beginnings = [], parts = [], amount }: NonNullable<TableOptions<Row>['searched']>,
): Table<Row>['search'] {
  const starts = ['id', ...beginnings].map((column) =>
    lister<[string, string, number]>(`WHERE ${column} >= ? AND ${column} < ? ${LIMIT}`),
  )
  const within = ['id', ...beginnings, ...parts]
  const conditions = [
    ...within.map((column) => `"${column}" LIKE ? ESCAPE '\\'`),
    ...(amount === undefined ? [] : [`${amount} IN (SELECT value FROM json_each(?))`]),
  ]
  const amongNewest = lister<(string | number)[]>(
    `WHERE seq > (SELECT max(seq) FROM ${name}) - ${LOOKED_AT_ROWS} AND (${conditions.join(' OR ')})
     ORDER BY seq DESC ${LIMIT}`,
  )
  return ({ text, amounts }, limit) => {
    const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    const values = [...within.map(() => pattern), ...(amount === undefined ? [] : [JSON.stringify(amounts)])]
    const found = [
      ...starts.flatMap((startingWith) => startingWith(text, text + LAST, limit)),
      ...amongNewest(...values, limit),
    ]
    return [...new Map(found.map((row) => [row.id, row])).values()].slice(0, limit)
  }
}
