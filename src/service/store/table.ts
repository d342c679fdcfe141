/** A table with ids. A store file defines its columns and adds its special queries. */
import type { z } from 'zod'
import type { AddedRow } from '../../spec/contract/added.ts'
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import { LOOKED_AT_ROWS } from './look-back.ts'
import { Columns, type FoundRow, LIMIT, type Statements } from './statements.ts'

type QueryValue = string | number | readonly AddedRow[] | undefined
/** `added`: rows that the resource must have in the table of added fields. */
export type ListQuery = { limit: number; cursor?: number | undefined } & Record<string, QueryValue>

export interface TableOptions<Row> {
  /** Columns that never change, so an update leaves them and their indexes alone. */
  fixed?: readonly (keyof Row & string)[]
  /** Columns by which a list can be filtered, the most selective first: of several filters, the first one's index is used. */
  filters?: readonly (keyof Row & string)[]
  /** Columns that a search compares, besides the id: `beginnings` by an index, `parts` in the newest rows only. */
  searched?: {
    beginnings?: readonly (keyof Row & string)[]
    parts?: readonly (keyof Row & string)[]
    amount?: (keyof Row & string) | undefined
  }
}

/** Built once per process, because building the texts takes longer than most sandboxes live. */
export function defineTable<Row extends { id: string }>(
  name: string,
  schema: z.ZodObject & z.ZodType<Row>,
  { fixed = [], filters = [], searched = {} }: TableOptions<Row> = {},
) {
  const columns = new Columns<Row>(schema)
  /** The columns that an update writes. */
  const changing = new Columns<Row>(schema, ['id', ...fixed])
  const { beginnings = [], parts = [], amount } = searched
  return {
    ...{ name, columns, changing, filters, beginnings, parts, amount },
    select: `SELECT ${columns.list} FROM ${name}`,
    insert: `INSERT INTO ${name} ${columns.insertion}`,
    update: `UPDATE ${name} SET ${changing.assignments} WHERE id = ?`,
  }
}

export type TableDefinition<Row extends { id: string }> = ReturnType<typeof defineTable<Row>>

/** Appended to a text, it sorts after every other text with that prefix. */
const LAST = '\u{10ffff}'

/** A search: the text, and the amounts in cents that it may mean. */
export interface SearchTerm {
  text: string
  amounts: readonly number[]
}

export class Table<Row extends { id: string }> {
  protected readonly db: Statements
  readonly #table: TableDefinition<Row>

  constructor(db: Statements, table: TableDefinition<Row>) {
    this.db = db
    this.#table = table
  }

  insert(row: Row): void {
    this.db.run(this.#table.insert, ...this.#table.columns.valuesOf(row))
  }

  /** Writes every column that may change. */
  update(row: Row): void {
    const { update, changing, name } = this.#table
    const { changes } = this.db.run(update, ...changing.valuesOf(row), row.id)
    if (changes !== 1) throw new Error(`no row ${row.id} in ${name}`)
  }

  find(id: string): Row | undefined {
    return this.row('WHERE id = ?', id)
  }

  /** The newest rows first; with a cursor, those before the row in its place. */
  newest({ limit, cursor, ...query }: ListQuery): Row[] {
    const { conditions, values } = this.#filtered(query)
    if (cursor !== undefined) {
      conditions.push('seq < ?')
      values.push(cursor)
    }
    return this.rows(`${where(conditions)} ORDER BY seq DESC ${LIMIT}`, ...values, limit)
  }

  /** Rows are numbered in insertion order, so new rows do not shift a page (D24). */
  list({ limit, ...query }: ListQuery): Page<Row> {
    const found = this.newest({ ...query, limit: limit + 1 })
    return cutPage(found, limit, ({ id }) => formatCursor(this.seqOf(id)!))
  }

  /** How many rows a list would have, counted up to `most`: counting 300,000 rows would block the event loop. */
  countUpTo(most: number, query: Omit<ListQuery, 'limit'> = {}): number {
    const { conditions, values } = this.#filtered(query)
    const rows = `SELECT 1 FROM ${this.#table.name} ${where(conditions)} ${LIMIT}`
    return this.db.value(`SELECT count(*) FROM (${rows})`, ...values, most) ?? 0
  }

  /** Rows whose indexed columns start with the text, from the whole table; then, newest first, recent rows that contain it. */
  search({ text, amounts }: SearchTerm, limit: number): Row[] {
    const { name, beginnings, parts, amount } = this.#table
    const indexed = ['id', ...beginnings]
    const texts = [...indexed, ...parts]
    const conditions = texts.map((column) => `"${column}" LIKE ? ESCAPE '\\'`)
    const values: string[] = Array(texts.length).fill(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
    if (amount !== undefined) {
      conditions.push(`${amount} IN (SELECT value FROM json_each(?))`)
      values.push(JSON.stringify(amounts))
    }
    const amongNewest = `WHERE seq > (SELECT max(seq) FROM ${name}) - ${LOOKED_AT_ROWS}
      AND (${conditions.join(' OR ')}) ORDER BY seq DESC ${LIMIT}`
    const found = [
      ...indexed.flatMap((column) =>
        this.rows(`WHERE ${column} >= ? AND ${column} < ? ${LIMIT}`, text, text + LAST, limit),
      ),
      ...this.rows(amongNewest, ...values, limit),
    ]
    return [...new Map(found.map((row) => [row.id, row])).values()].slice(0, limit)
  }

  /** The number of rows with this status and the sum of their amounts. */
  amountsOf(status: string): { count: number; amount: number } {
    const sum = `SELECT count(*) AS count, total(amount) AS amount FROM ${this.#table.name} WHERE status = ?`
    return this.db.get(sum, status)!
  }

  /** A row's number in insertion order, which a cursor holds. */
  seqOf(id: string): number | undefined {
    return this.db.value(`SELECT seq FROM ${this.#table.name} WHERE id = ?`, id)
  }

  /** The first row that is found; `rest` follows the table's name in the SQL. */
  protected row(rest: string, ...params: unknown[]): Row | undefined {
    const found = this.db.get<FoundRow>(`${this.#table.select} ${rest}`, ...params)
    return found && this.#table.columns.rowOf(found)
  }

  protected rows(rest: string, ...params: unknown[]): Row[] {
    const found = this.db.all<FoundRow>(`${this.#table.select} ${rest}`, ...params)
    return found.map((row) => this.#table.columns.rowOf(row))
  }

  /** The plus limits SQLite to the first column's index; without statistics it would pick any. */
  #filtered({ added = [], ...query }: Readonly<Record<string, QueryValue>>) {
    const { filters, name } = this.#table
    const rows = added as readonly AddedRow[]
    const used = filters.filter((column) => query[column] !== undefined)
    const asked = Object.keys(query).filter((column) => query[column] !== undefined && !PAGE.includes(column))
    // If ignored, an unknown filter would list every row.
    if (asked.length > used.length)
      throw new Error(`${name} cannot be filtered by all of ${asked.join(', ')}`)
    return {
      conditions: [
        ...used.map((column, at) => `${at === 0 ? '' : '+'}${column} = ?`),
        ...rows.map(() => HAS_ADDED),
      ],
      values: [
        ...used.map((column) => query[column]),
        ...rows.flatMap(({ name, key, value }) => [name, key, value]),
      ],
    }
  }
}

const PAGE = ['limit', 'cursor']
const HAS_ADDED = 'id IN (SELECT resource FROM added WHERE name = ? AND key = ? AND value = ?)'

const where = (conditions: readonly string[]): string =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
