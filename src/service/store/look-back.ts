/**
 * Lists for pages, newest first, with filters that no index supports. Each look reads at most 5,000 rows and returns where to
 * continue, so that a rare value in a large table does not block other requests.
 */
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import { type Columns, type FoundRow, LIMIT, type Statements } from './statements.ts'

/** Rows per look: 1 to 4 ms in a table of any size. */
export const LOOKED_AT_ROWS = 5_000

/** The value of each filter; default: all rows. */
type Where<Filter extends string> = { readonly [Name in Filter]?: string | undefined }

export interface LookBack<Row, Filter extends string> {
  /**
   * Newest first, from before the cursor in insertion order. A page may have fewer rows than its limit, or none, and still have a
   * next page.
   */
  look(query: {
    where?: Where<Filter> | undefined
    cursor?: number | undefined
    limit: number
  }): Page<Row & { seq: number }>
  /** How many of the newest 5,000 rows match, and whether that was the whole table. */
  count(where?: Where<Filter>): { count: number; isAll: boolean }
}

/** `filters`: for each name an SQL condition with one `?`. The conditions come from the code, never from a caller. */
export function lookBack<Row, Filter extends string>(
  table: string,
  columns: Columns<Row>,
  filters: Readonly<Record<Filter, string>>,
): (db: Statements) => LookBack<Row, Filter> {
  const names = Object.keys(filters) as Filter[]
  const found = (used: readonly string[]) =>
    `${table} WHERE ${['seq < ?', 'seq >= ?', ...used.map((name) => filters[name as Filter])].join(' AND ')}`
  const ends = `SELECT (SELECT min(seq) FROM ${table}), (SELECT max(seq) FROM ${table})`

  function asked(db: Statements, where: Where<Filter> = {}, before = Number.POSITIVE_INFINITY) {
    const used = names.filter((name) => where[name] !== undefined)
    const [first, last] = db.lists<[number | null, number | null]>(ends)[0]!
    const to = Math.min(before, (last ?? 0) + 1)
    const from = to - LOOKED_AT_ROWS
    return {
      used,
      values: [to, from, ...used.map((name) => where[name]!)],
      from,
      isAll: from <= (first ?? 0),
    }
  }

  return (db) => ({
    look({ where, cursor, limit }) {
      const { used, values, from, isAll } = asked(db, where, cursor)
      const sql = `SELECT ${columns.list}, seq FROM ${found(used)} ORDER BY seq DESC ${LIMIT}`
      const rows = db.all<FoundRow & { seq: number }>(sql, ...values, limit + 1)
      const matching = rows.map((row) => columns.rowOf(row))
      const page = cutPage(matching, limit, ({ seq }) => formatCursor(seq))
      return page.hasMore || isAll ? page : { ...page, hasMore: true, nextCursor: formatCursor(from) }
    },
    count(where) {
      const { used, values, isAll } = asked(db, where)
      return { count: db.value(`SELECT count(*) FROM ${found(used)}`, ...values) ?? 0, isAll }
    },
  })
}
