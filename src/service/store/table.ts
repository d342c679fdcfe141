/**
 * The methods of every table with ids, so that a store file only adds the queries of its own table. Such a
 * file has three parts: the schema of a row, the table's queries (table-queries.ts), and the class that runs
 * them on a database.
 */
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import type { Statements } from './statements.ts'
import type { RowQuery, TableQueries } from './table-queries.ts'

export type ListQuery = { limit: number; cursor?: number | undefined } & Record<
  string,
  string | number | undefined
>

type Value = string | number

/** Rows that one step counts (in an index) and sums up (in the table): 2 to 4 ms each. */
const COUNTED_ROWS = 45_000
const SUMMED_ROWS = 5_000

/** Appended to a text, it sorts behind every other text that begins with it. */
const LAST = '\u{10ffff}'

/** A search: the text, and the amounts in cents that it may mean. */
export interface SearchTerm {
  text: string
  amounts: readonly number[]
}

export class Table<Row extends { id: string }> {
  protected readonly db: Statements
  readonly #queries: TableQueries<Row>

  constructor(db: Statements, queries: TableQueries<Row>) {
    this.db = db
    this.#queries = queries
  }

  insert(row: Row): void {
    const { insert, columns } = this.#queries
    this.db.run(insert, ...columns.valuesOf(row))
  }

  /** Writes every column that is not fixed. */
  update(row: Row): void {
    const { update, changing, name } = this.#queries
    const { changes } = this.db.run(update, ...changing.valuesOf(row), row.id)
    if (changes !== 1) throw new Error(`no row ${row.id} in ${name}`)
  }

  find(id: string): Row | undefined {
    return this.row(this.#queries.byId, id)
  }

  /** The newest rows first; with a cursor, those before the row in its place. */
  newest({ limit, cursor, ...query }: ListQuery): Row[] {
    const { filters, newest, newestBefore } = this.#queries
    const used = filters.filter((column) => query[column] !== undefined)
    const values = used.map((column) => query[column]!)
    return cursor === undefined
      ? this.rows(newest(used), ...values, limit)
      : this.rows(newestBefore(used), ...values, cursor, limit)
  }

  /** Rows are numbered in insertion order, so rows that are added do not move a page (D24). */
  list({ limit, ...query }: ListQuery): Page<Row> {
    const found = this.newest({ ...query, limit: limit + 1 })
    return cutPage(found, limit, ({ id }) => formatCursor(this.seqOf(id)!))
  }

  /** All rows, newest first, so many at a time; rows may be added in between. */
  *pages(query: ListQuery): Generator<Row[]> {
    let { cursor } = query
    for (;;) {
      const rows = this.newest({ ...query, cursor })
      yield rows
      if (rows.length < query.limit) return
      cursor = this.seqOf(rows.at(-1)!.id)
    }
  }

  count(): number {
    return this.db.get(this.#queries.count) ?? 0
  }

  /** How many rows a list would have, counted up to `most`. */
  countUpTo(most: number, query: Omit<ListQuery, 'limit'> = {}): number {
    const { filters, countUpTo } = this.#queries
    const used = filters.filter((column) => query[column] !== undefined)
    return this.db.get(countUpTo(used), ...used.map((column) => query[column]!), most) ?? 0
  }

  /**
   * Rows of the whole table whose indexed columns begin with the text; after these, newest first, those of
   * the newest rows that contain it.
   */
  search({ text, amounts }: SearchTerm, limit: number): Row[] {
    const { beginningWith, amongNewest, searchedTexts, searchesAmount } = this.#queries
    const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    const values: Value[] = Array(searchedTexts).fill(pattern)
    if (searchesAmount) values.push(JSON.stringify(amounts))
    const found = [
      ...beginningWith.flatMap((query) => this.rows(query, text, text + LAST, limit)),
      ...this.rows(amongNewest, ...values, limit),
    ]
    return [...new Map(found.map((row) => [row.id, row])).values()].slice(0, limit)
  }

  /** How many rows have each value of an indexed column. Yields between its steps, where rows may change. */
  *countBy(column: keyof Row & string): Generator<undefined, Record<string, number>> {
    const next = this.#queries.valueAfter([column])
    const some = this.#queries.countOf([column])
    const counts: Record<string, number> = {}
    for (let value = this.db.get(next, ''); value; value = this.db.get(next, value)) {
      counts[value] = 0
      for (const [after, upTo] of this.steps(COUNTED_ROWS)) {
        counts[value]! += this.db.get(some, value, after, upTo)!
        yield
      }
    }
    return counts
  }

  /** The number and the sum of the amounts of the rows with this status. Yields between its steps. */
  *amountsOf(status: string): Generator<undefined, { count: number; amount: number }> {
    const all = { count: 0, amount: 0 }
    for (const [after, upTo] of this.steps(SUMMED_ROWS)) {
      const [count, amount] = this.db.get(this.#queries.amountsOf, status, after, upTo)!
      all.count += count
      all.amount += amount
      yield
    }
    return all
  }

  /** The places of all rows, `rows` at a time. */
  *steps(rows: number): Generator<readonly [after: number, upTo: number]> {
    const end = this.lastPlace()
    for (let after = 0; after < end; after += rows) yield [after, after + rows]
  }

  /** A row's place in insertion order, which is what a cursor holds. */
  seqOf(id: string): number | undefined {
    return this.db.get(this.#queries.seqOf, id)
  }

  /** The newest row's place; 0 for an empty table. */
  protected lastPlace(): number {
    return this.db.get(this.#queries.lastPlace) ?? 0
  }

  /** The first row that the query finds. */
  row<Params extends unknown[]>(query: RowQuery<Params>, ...params: Params): Row | undefined {
    const found = this.db.get(query, ...params)
    return found && this.#queries.columns.rowOf(found)
  }

  rows<Params extends unknown[]>(query: RowQuery<Params>, ...params: Params): Row[] {
    return this.db.all(query, ...params).map((found) => this.#queries.columns.rowOf(found))
  }
}
