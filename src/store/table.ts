/**
 * What every resource's table can do, so that each store file only says what is its own: its columns, and the
 * questions that no other resource asks.
 */

import { formatCursor } from '../contract/wire.ts'
import type { Statements } from './statements.ts'

export interface TablePage<Row> {
  data: Row[]
  hasMore: boolean
  nextCursor: string | null
}

export type ListQuery = { limit: number; cursor?: number | undefined } & Record<
  string,
  string | number | undefined
>

type Value = string | number | null

export interface Table<Row> {
  insert(row: Row): void
  /** Writes the columns that may change. */
  update(row: Row): void
  find(id: string): Row | undefined
  /** Newest first. Rows are numbered in insertion order, so rows that are added do not move a page (D24). */
  list(query: ListQuery): TablePage<Row>
  count(): number
  /** How many rows have which value. */
  countBy(column: keyof Row & string): Record<string, number>
  /** A row's place in insertion order, which is what a cursor holds. */
  placeOf(id: string): number | undefined
}

export function table<Row extends { id: string }>(
  db: Statements,
  name: string,
  columns: readonly (keyof Row & string)[],
  {
    changing = [],
    filters = [],
  }: { changing?: readonly (keyof Row & string)[]; filters?: readonly string[] } = {},
): Table<Row> {
  const insert = db.prepare<[Value[]]>(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const update =
    changing.length > 0 &&
    db.prepare<[Value[]]>(
      `UPDATE ${name} SET ${changing.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
    )
  const changed = [...changing, 'id']
  const find = db.prepare<[string], Value[]>(`SELECT ${columns.join(', ')} FROM ${name} WHERE id = ?`).raw()
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck()
  const place = db.prepare<[string], number>(`SELECT seq FROM ${name} WHERE id = ?`).pluck()
  const list = listing<Row>(db, name, columns, filters)

  return {
    insert(row) {
      insert.run(codeOf<Row>(columns).valuesOf(row))
    },
    update(row) {
      if (!update) throw new Error(`${name} are never updated`)
      const { changes } = update.run(codeOf<Row>(changed).valuesOf(row))
      if (changes !== 1) throw new Error(`no row ${row.id} in ${name}`)
    },
    find(id) {
      const values = find.get(id)
      return values && codeOf<Row>(columns).rowOf(values)
    },
    list,
    count: () => count.get() ?? 0,
    countBy(column) {
      const counted = db.prepare<[], [string, number]>(
        `SELECT ${column}, count(*) FROM ${name} GROUP BY ${column}`,
      )
      return Object.fromEntries(counted.raw().all())
    },
    placeOf: (id) => place.get(id),
  }
}

/** From a row to the values of some of its columns, and from the values of all of them to a row. */
interface Code<Row> {
  valuesOf(row: Row): Value[]
  rowOf(values: readonly Value[]): Row
}

const codes = new WeakMap<readonly string[], Code<never>>()

/** Put together as code from the columns' names, once: a loop over them would cost several times as much. */
function codeOf<Row>(columns: readonly string[]): Code<Row> {
  let code = codes.get(columns) as Code<Row> | undefined
  if (!code) {
    code = {
      valuesOf: new Function('row', `return [${columns.map((column) => `row.${column}`)}]`),
      rowOf: new Function('values', `return {${columns.map((column, at) => `${column}: values[${at}]`)}}`),
    } as Code<Row>
    codes.set(columns, code as Code<never>)
  }
  return code
}

/** One statement for each set of filters that is really asked for; the names come from the code, never from a caller. */
function listing<Row>(
  db: Statements,
  name: string,
  columns: readonly (keyof Row & string)[],
  filters: readonly string[],
) {
  const statements = new Map<string, ReturnType<typeof prepare>>()

  const prepare = (used: readonly string[], afterCursor: boolean) => {
    const conditions = [...used.map((column) => `${column} = ?`), ...(afterCursor ? ['seq < ?'] : [])]
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    return db
      .prepare<[Value[]], Value[]>(
        `SELECT ${columns.join(', ')}, seq FROM ${name} ${where} ORDER BY seq DESC LIMIT ?`,
      )
      .raw()
  }

  return ({ limit, cursor, ...query }: ListQuery): TablePage<Row> => {
    const used = filters.filter((column) => query[column] !== undefined)
    const key = `${used.join()}${cursor === undefined ? '' : '<'}`
    const statement = statements.get(key) ?? prepare(used, cursor !== undefined)
    statements.set(key, statement)

    const values = used.map((column) => query[column] as Value)
    const found = statement.all([...values, ...(cursor === undefined ? [] : [cursor]), limit + 1])
    const hasMore = found.length > limit
    if (hasMore) found.pop()
    const data = found.map(codeOf<Row>(columns).rowOf)
    return { data, hasMore, nextCursor: hasMore ? formatCursor(found[limit - 1]!.at(-1) as number) : null }
  }
}
