/**
 * Lists for pages, newest first, with filters that no index answers. Each look reads at most 5,000 rows and
 * says where to continue, so that a rare value in a large table does not block other requests.
 */
import {
  type Columns,
  type FoundRow,
  LIMIT_AND_ONE_MORE,
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
  before?: number | undefined
  limit: number
}

export interface Looked<Row> {
  /** Newest first. */
  data: Row[]
  /** Place from which to continue; null at the end of the table. */
  next: number | null
}

export class LookBackQueries<Row, Filter extends string> {
  readonly columns: Columns<Row>
  readonly names: readonly Filter[]
  readonly ends: Query<[], [first: number | null, last: number | null]>
  readonly rows = madeOnce((used) =>
    query<(string | number)[], FoundRow & { seq: number }>(
      `SELECT ${this.columns.list}, seq FROM ${this.#found(used)} ORDER BY seq DESC ${LIMIT_AND_ONE_MORE}`,
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

  look({ where, before, limit }: LookQuery<Filter>): Looked<Row & { seq: number }> {
    const { columns, rows } = this.#queries
    const { used, values, from, isAll } = this.#asked(where, before)
    const found = this.#db.all(rows(used), ...values, limit)
    const hasMore = found.length > limit
    const data = found.slice(0, limit).map((row) => columns.rowOf(row))
    return { data, next: hasMore ? data.at(-1)!.seq : isAll ? null : from }
  }

  /** How many of the newest 5,000 rows match, and whether the table has no others. */
  count(where?: LookQuery<Filter>['where']): { count: number; isAll: boolean } {
    const { used, values, isAll } = this.#asked(where)
    return { count: this.#db.get(this.#queries.count(used), ...values) ?? 0, isAll }
  }

  #asked(where: LookQuery<Filter>['where'] = {}, before?: number) {
    const { names, ends } = this.#queries
    const used = names.filter((name) => where[name] !== undefined)
    const [first, last] = this.#db.get(ends) ?? [null, null]
    const to = Math.min(before ?? Number.POSITIVE_INFINITY, (last ?? 0) + 1)
    const from = to - LOOKED_AT_ROWS
    return {
      used,
      values: [to, from, ...used.map((name) => where[name]!)],
      from,
      isAll: from <= (first ?? 0),
    }
  }
}
