/**
 * Lists for pages, newest first, narrowed by what no index answers. Each page looks at no more than so many rows and says where to
 * look on, so that a rare value in a large table keeps no other request waiting.
 */
import type { Columns } from './columns.ts'
import { LIMIT_AND_ONE_MORE, type Statements } from './statements.ts'

/** How many of the newest rows are looked at where no index helps: 1 to 4 ms in a table of any size. */
export const LOOKED_AT_ROWS = 5_000

export interface LookQuery<Filter extends string> {
  /** Values of filters; those that are left out allow every row. */
  where?: { readonly [Name in Filter]?: string | undefined } | undefined
  /** Only rows before this place in insertion order. */
  before?: number | undefined
  limit: number
}

export interface Looked<Row> {
  /** Newest first. */
  data: Row[]
  /** Where to look on; null at the end of the table. */
  next: number | null
}

export interface LookBack<Row, Filter extends string> {
  look(query: LookQuery<Filter>): Looked<Row & { seq: number }>
  /** How many there are among the newest that one look reaches, and whether that is all of them. */
  count(where?: LookQuery<Filter>['where']): { count: number; isAll: boolean }
}

/** `filters`: a condition with one `?` for each name. The conditions come from the code, never from a caller. */
export function lookBack<Row, Filter extends string>(
  db: Statements,
  table: string,
  columns: Columns<Row>,
  filters: Readonly<Record<Filter, string>>,
): LookBack<Row, Filter> {
  const ends = db
    .prepare<[], [number | null, number | null]>(
      `SELECT (SELECT min(seq) FROM ${table}), (SELECT max(seq) FROM ${table})`,
    )
    .raw()
  const names = Object.keys(filters) as Filter[]
  const statements = new Map<string, ReturnType<typeof prepare>>()

  function prepare(used: readonly Filter[]) {
    const where = ['seq < ?', 'seq >= ?', ...used.map((name) => filters[name])].join(' AND ')
    return {
      rows: db
        .prepare<(string | number)[], unknown[]>(
          `SELECT ${columns.row}, seq FROM ${table} WHERE ${where} ORDER BY seq DESC ${LIMIT_AND_ONE_MORE}`,
        )
        .raw(),
      count: db.prepare<(string | number)[], number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck(),
    }
  }

  function asked(where: LookQuery<Filter>['where'] = {}, before?: number) {
    const used = names.filter((name) => where[name] !== undefined)
    const key = used.join()
    const statement = statements.get(key) ?? prepare(used)
    statements.set(key, statement)
    const [first, last] = ends.get() ?? [null, null]
    const to = Math.min(before ?? Number.POSITIVE_INFINITY, (last ?? 0) + 1)
    const from = to - LOOKED_AT_ROWS
    return {
      statement,
      from,
      isAll: from <= (first ?? 0),
      values: [to, from, ...used.map((name) => where[name]!)],
    }
  }

  return {
    look({ where, before, limit }) {
      const { statement, values, from, isAll } = asked(where, before)
      const found = statement.rows.all(...values, limit)
      const hasMore = found.length > limit
      const data = found.slice(0, limit).map((row) => ({ ...columns.rowOf(row), seq: row.at(-1) as number }))
      return { data, next: hasMore ? data.at(-1)!.seq : isAll ? null : from }
    },
    count(where) {
      const { statement, values, isAll } = asked(where)
      return { count: statement.count.get(...values) ?? 0, isAll }
    },
  }
}
