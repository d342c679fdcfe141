/**
 * Lists for pages, newest first, with filters that no index answers. Each look reads at most 5,000 rows and
 * says where to continue, so that a rare value in a large table does not block other requests.
 */
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import {
  type Columns,
  type FoundRow,
  LIMIT,
  listQuery,
  madeOnce,
  type Query,
  query,
  type Statements,
  valueQuery,
} from './statements.ts'

/** How many rows one look reads: 1 to 4 ms in a table of any size. */
export const LOOKED_AT_ROWS = 5_000

export interface LookQuery<Filter extends string> {
  /** The value of each filter; one that is left out allows every row. */
  where?: { readonly [Name in Filter]?: string | undefined } | undefined
  /** Only rows before this place in insertion order. */
  cursor?: number | undefined
  limit: number
}

export class LookBackQueries<Row, Filter extends string> {
  readonly columns: Columns<Row>
  readonly names: readonly Filter[]
  readonly ends: Query<[], [first: number | null, last: number | null]>
  readonly rows = madeOnce((used) =>
    query<(string | number)[], FoundRow & { seq: number }>(
      `SELECT ${this.columns.list}, seq FROM ${this.#found(used)} ORDER BY seq DESC ${LIMIT}`,
    ),
  )
  readonly count = madeOnce((used) =>
    valueQuery<(string | number)[], number>(`SELECT count(*) FROM ${this.#found(used)}`),
  )
  readonly #table: string
  readonly #filters: Readonly<Record<string, string>>

  /**
   * `filters`: for each name an SQL condition with one `?`. The conditions come from the code, never from a
   * caller.
   */
  constructor(table: string, columns: Columns<Row>, filters: Readonly<Record<Filter, string>>) {
    this.columns = columns
    this.names = Object.keys(filters) as Filter[]
    this.ends = listQuery(`SELECT (SELECT min(seq) FROM ${table}), (SELECT max(seq) FROM ${table})`)
    this.#table = table
    this.#filters = filters
  }

  #found(used: readonly string[]): string {
    return `${this.#table} WHERE ${['seq < ?', 'seq >= ?', ...used.map((name) => this.#filters[name])].join(' AND ')}`
  }
}

export class LookBack<Row, Filter extends string> {
  readonly #db: Statements
  readonly #queries: LookBackQueries<Row, Filter>

  constructor(db: Statements, queries: LookBackQueries<Row, Filter>) {
    this.#db = db
    this.#queries = queries
  }

  /** Newest first. A page may have fewer rows than its limit, or none, and yet lead on to rows further back. */
  look({ where, cursor, limit }: LookQuery<Filter>): Page<Row & { seq: number }> {
    const { columns, rows } = this.#queries
    const { used, values, from, isAll } = this.#asked(where, cursor)
    const found = this.#db.all(rows(used), ...values, limit + 1).map((row) => columns.rowOf(row))
    const page = cutPage(found, limit, ({ seq }) => formatCursor(seq))
    return page.hasMore || isAll ? page : { ...page, hasMore: true, nextCursor: formatCursor(from) }
  }

  /** How many of the newest 5,000 rows match, and whether the table has no others. */
  count(where?: LookQuery<Filter>['where']): { count: number; isAll: boolean } {
    const { used, values, isAll } = this.#asked(where)
    return { count: this.#db.get(this.#queries.count(used), ...values) ?? 0, isAll }
  }

  #asked(where: LookQuery<Filter>['where'] = {}, before = Number.POSITIVE_INFINITY) {
    const { names, ends } = this.#queries
    const used = names.filter((name) => where[name] !== undefined)
    const [first, last] = this.#db.get(ends) ?? [null, null]
    const to = Math.min(before, (last ?? 0) + 1)
    const from = to - LOOKED_AT_ROWS
    return {
      used,
      values: [to, from, ...used.map((name) => where[name]!)],
      from,
      isAll: from <= (first ?? 0),
    }
  }
}
