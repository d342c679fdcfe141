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

export type TableQueries<Row extends { id: string }> = ReturnType<typeof tableQueries<Row>>

export function tableQueries<Row extends { id: string }>(
  name: string,
  schema: z.ZodObject & z.ZodType<Row>,
  { fixed = [], filters = [], searched = {} }: TableOptions<Row> = {},
) {
  const columns = new Columns<Row>(schema)
  /** The columns that an update writes. */
  const changing = new Columns<Row>(schema, ['id', ...fixed])

  /** A query of whole rows for one table's own use; `rest` follows the table's name in the SQL. */
  const rows = <Params extends unknown[]>(rest: string): RowQuery<Params> =>
    query(`SELECT ${columns.list} FROM ${name} ${rest}`)

  const newest = (conditions: string[]) => rows<Value[]>(`${where(conditions)} ORDER BY seq DESC ${LIMIT}`)

  const { beginnings = [], parts = [], amount } = searched
  const texts = ['id', ...beginnings, ...parts]
  const searchConditions = [
    ...texts.map((column) => `"${column}" LIKE ? ESCAPE '\\'`),
    ...(amount === undefined ? [] : [`${amount} IN (SELECT value FROM json_each(?))`]),
  ]
  return {
    name,
    columns,
    changing,
    filters,
    rows,

    insert: query<unknown[]>(`INSERT INTO ${name} ${columns.insertion}`),
    update: query<unknown[]>(`UPDATE ${name} SET ${changing.assignments} WHERE id = ?`),
    count: valueQuery<[], number>(`SELECT count(*) FROM ${name}`),
    lastPlace: valueQuery<[], number | null>(`SELECT max(seq) FROM ${name}`),
    seqOf: valueQuery<[id: string], number>(`SELECT seq FROM ${name} WHERE id = ?`),
    byId: rows<[id: string]>('WHERE id = ?'),

    /** The newest rows that have these columns' values; `newestBefore` those before the row in a place. */
    newest: madeOnce((used) => newest(used.map(equals))),
    newestBefore: madeOnce((used) => newest([...used.map(equals), 'seq < ?'])),
    /** Counts up to a limit: counting 300,000 rows would block the event loop. */
    countUpTo: madeOnce((used) =>
      valueQuery<Value[], number>(
        `SELECT count(*) FROM (SELECT 1 FROM ${name} ${where(used.map((column) => `${column} = ?`))} ${LIMIT})`,
      ),
    ),
    valueAfter: madeOnce(([column]) =>
      valueQuery<[Value], string | null>(`SELECT min(${column}) FROM ${name} WHERE ${column} > ?`),
    ),
    countOf: madeOnce(([column]) =>
      valueQuery<[value: Value, after: number, upTo: number], number>(
        `SELECT count(*) FROM ${name} WHERE ${column} = ? AND seq > ? AND seq <= ?`,
      ),
    ),
    amountsOf: listQuery<[status: string, after: number, upTo: number], [count: number, amount: number]>(
      `SELECT count(*), total(amount) FROM ${name} WHERE status = ? AND seq > ? AND seq <= ?`,
    ),

    /** Search by the beginning of a column: one query for each column. */
    beginningWith: ['id', ...beginnings].map((column) =>
      rows<[from: string, to: string, limit: number]>(`WHERE ${column} >= ? AND ${column} < ? ${LIMIT}`),
    ),
    /** Search anywhere in the columns of the newest rows. */
    amongNewest: rows<Value[]>(
      `WHERE seq > (SELECT max(seq) FROM ${name}) - ${LOOKED_AT_ROWS} AND (${searchConditions.join(' OR ')})
       ORDER BY seq DESC ${LIMIT}`,
    ),
    /** How many text columns `amongNewest` compares, and whether it compares the amount too. */
    searchedTexts: texts.length,
    searchesAmount: amount !== undefined,
  }
}

const where = (conditions: readonly string[]): string =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''

/**
 * The plus keeps SQLite from using this column's index: without statistics it would pick any, and the first
 * column's is the best.
 */
const equals = (column: string, at: number) => `${at === 0 ? '' : '+'}${column} = ?`
