/** The SQL of a table with ids, made once a process (statements.ts). */
import type { z } from 'zod'
import { Columns } from './columns.ts'
import { LOOKED_AT_ROWS } from './look-back.ts'
import {
  LIMIT,
  LIMIT_AND_ONE_MORE,
  listQuery,
  madeOnce,
  type Query,
  query,
  valueQuery,
} from './statements.ts'

type Value = string | number

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

/** Whole rows, as {@link Columns.rowOf} reads them. */
export type RowQuery<Params extends unknown[]> = Query<Params, unknown[]>

export class TableQueries<Row extends { id: string }> {
  readonly name: string
  readonly columns: Columns<Row>
  /** Those that an update writes. */
  readonly changing: Columns<Row>
  readonly filters: readonly (keyof Row & string)[]

  readonly insert: Query<unknown[], unknown>
  readonly update: Query<unknown[], unknown>
  readonly count: Query<[], number>
  readonly lastPlace: Query<[], number | null>
  readonly placeOf: Query<[id: string], number>
  readonly byId: RowQuery<[id: string]>

  /** The rows of a page, narrowed by these columns: `page` starts at the newest row, `pageAfter` behind the cursor's row. */
  readonly page = madeOnce((used) => this.#page(used.map(equals)))
  readonly pageAfter = madeOnce((used) => this.#page([...used.map(equals), 'seq < ?']))
  readonly countUpTo = madeOnce((used) => this.#countUpTo(used))
  readonly valueAfter = madeOnce(([column]) =>
    valueQuery<[Value], string | null>(`SELECT min(${column}) FROM ${this.name} WHERE ${column} > ?`),
  )
  readonly countOf = madeOnce(([column]) =>
    valueQuery<[value: Value, after: number, upTo: number], number>(
      `SELECT count(*) FROM ${this.name} WHERE ${column} = ? AND seq > ? AND seq <= ?`,
    ),
  )
  readonly amountsOf: Query<[status: string, after: number, upTo: number], [count: number, amount: number]>

  /** What a search finds by their beginnings: one question for each column. */
  readonly beginningWith: readonly RowQuery<[from: string, to: string, limit: number]>[]
  /** What it finds anywhere in a row among the newest. */
  readonly amongNewest: RowQuery<Value[]>
  /** How many columns that looks into, and whether it looks at the amount too. */
  readonly searchedTexts: number
  readonly searchesAmount: boolean

  constructor(
    name: string,
    schema: z.ZodObject & z.ZodType<Row>,
    { fixed = [], filters = [], searched = {} }: TableOptions<Row> = {},
  ) {
    const columns = new Columns(schema)
    const changing = new Columns(schema, ['id', ...fixed])
    this.name = name
    this.columns = columns
    this.changing = changing
    this.filters = filters
    this.insert = query(`INSERT INTO ${name} ${columns.insertion}`)
    this.update = query(`UPDATE ${name} SET ${changing.assignments} WHERE id = ?`)
    this.count = valueQuery(`SELECT count(*) FROM ${name}`)
    this.lastPlace = valueQuery(`SELECT max(seq) FROM ${name}`)
    this.placeOf = valueQuery(`SELECT seq FROM ${name} WHERE id = ?`)
    this.byId = this.rows('WHERE id = ?')
    this.amountsOf = listQuery(
      `SELECT count(*), total(amount) FROM ${name} WHERE status = ? AND seq > ? AND seq <= ?`,
    )

    const { beginnings = [], parts = [], amount } = searched
    const texts = ['id', ...beginnings, ...parts]
    this.searchedTexts = texts.length
    this.searchesAmount = amount !== undefined
    this.beginningWith = ['id', ...beginnings].map((column) =>
      this.rows(`WHERE ${column} >= ? AND ${column} < ? ${LIMIT}`),
    )
    const conditions = [
      ...texts.map((column) => `"${column}" LIKE ? ESCAPE '\\'`),
      ...(amount === undefined ? [] : [`${amount} IN (SELECT value FROM json_each(?))`]),
    ]
    this.amongNewest = this.rows(
      `WHERE seq > (SELECT max(seq) FROM ${name}) - ${LOOKED_AT_ROWS} AND (${conditions.join(' OR ')})
       ORDER BY seq DESC ${LIMIT}`,
    )
  }

  /** Questions that only this table is asked; `rest` is what follows the table's name in the SQL. */
  rows<Params extends unknown[]>(rest: string): RowQuery<Params> {
    return listQuery(`SELECT ${this.columns.row} FROM ${this.name} ${rest}`)
  }

  #page(conditions: string[]) {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    return this.rows<Value[]>(`${where} ORDER BY seq DESC ${LIMIT_AND_ONE_MORE}`)
  }

  /** A count that stops: counting 300,000 rows would block the event loop. */
  #countUpTo(used: readonly string[]) {
    const where = used.length > 0 ? `WHERE ${used.map((column) => `${column} = ?`).join(' AND ')}` : ''
    return valueQuery<Value[], number>(`SELECT count(*) FROM (SELECT 1 FROM ${this.name} ${where} ${LIMIT})`)
  }
}

/** A plus keeps SQLite from the column's index; without statistics it would choose any. */
const equals = (column: string, at: number) => `${at === 0 ? '' : '+'}${column} = ?`
