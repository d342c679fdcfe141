/** The SQL of a table with ids; made once a process (statements.ts). */
import type { z } from 'zod'
import { LOOKED_AT_ROWS } from './look-back.ts'
import {
  Columns,
  type FoundRow,
  LIMIT,
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
  /**
   * Columns by which a list can be filtered, the most selective first: of several, the first one's index is
   * used.
   */
  filters?: readonly (keyof Row & string)[]
  /**
   * Columns that a search compares, beside the id: `beginnings` by an index, `parts` in the newest rows only.
   */
  searched?: {
    beginnings?: readonly (keyof Row & string)[]
    parts?: readonly (keyof Row & string)[]
    amount?: keyof Row & string
  }
}

/** A query of whole rows, which {@link Columns.rowOf} reads. */
export type RowQuery<Params extends unknown[]> = Query<Params, FoundRow>

export class TableQueries<Row extends { id: string }> {
  readonly name: string
  readonly columns: Columns<Row>
  /** The columns that an update writes. */
  readonly changing: Columns<Row>
  readonly filters: readonly (keyof Row & string)[]

  readonly insert: Query<unknown[], unknown>
  readonly update: Query<unknown[], unknown>
  readonly count: Query<[], number>
  readonly lastPlace: Query<[], number | null>
  readonly seqOf: Query<[id: string], number>
  readonly byId: RowQuery<[id: string]>

  /** The newest rows that have these columns' values; `newestBefore` those before the row in a place. */
  readonly newest = madeOnce((used) => this.#newest(used.map(equals)))
  readonly newestBefore = madeOnce((used) => this.#newest([...used.map(equals), 'seq < ?']))
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

  /** Search by the beginning of a column: one query for each column. */
  readonly beginningWith: readonly RowQuery<[from: string, to: string, limit: number]>[]
  /** Search anywhere in the columns of the newest rows. */
  readonly amongNewest: RowQuery<Value[]>
  /** How many text columns `amongNewest` compares, and whether it compares the amount too. */
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
    this.seqOf = valueQuery(`SELECT seq FROM ${name} WHERE id = ?`)
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

  /** A query of whole rows for one table's own use; `rest` follows the table's name in the SQL. */
  rows<Params extends unknown[]>(rest: string): RowQuery<Params> {
    return query(`SELECT ${this.columns.list} FROM ${this.name} ${rest}`)
  }

  #newest(conditions: string[]) {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    return this.rows<Value[]>(`${where} ORDER BY seq DESC ${LIMIT}`)
  }

  /** Counts up to a limit: counting 300,000 rows would block the event loop. */
  #countUpTo(used: readonly string[]) {
    const where = used.length > 0 ? `WHERE ${used.map((column) => `${column} = ?`).join(' AND ')}` : ''
    return valueQuery<Value[], number>(`SELECT count(*) FROM (SELECT 1 FROM ${this.name} ${where} ${LIMIT})`)
  }
}

/**
 * The plus keeps SQLite from using this column's index: without statistics it would pick any, and the first
 * column's is the best.
 */
const equals = (column: string, at: number) => `${at === 0 ? '' : '+'}${column} = ?`
