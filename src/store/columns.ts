/**
 * The columns of a table are the fields of its rows' schema: the contract's own where the row is a resource, one in the
 * store's file where it is not. So a new field is read and written everywhere, and a test compares the schemas with the
 * tables that the migrations make. A field that is an object is stored as JSON.
 *
 * Loops over the names cost 1 % of a POST or a GET of one resource and 2.5 % of a list of 20 against code that was
 * generated for each table. Rows as better-sqlite3's own objects would cost a list 30 %, named parameters a POST 3 %.
 */
import { z } from 'zod'

export class Columns<Row> {
  readonly names: readonly (keyof Row & string)[]
  /** For `SELECT`. */
  readonly list: string
  /** What follows the table's name in an `INSERT`; its values are {@link valuesOf} a row. */
  readonly insertion: string
  readonly #isJson: readonly boolean[]
  readonly #hasJson: boolean

  constructor(schema: z.ZodObject & z.ZodType<Row>, except: readonly (keyof Row & string)[] = []) {
    const fields = (Object.entries(schema.shape) as [keyof Row & string, z.ZodType][]).filter(
      ([name]) => !except.includes(name),
    )
    this.names = fields.map(([name]) => name)
    this.list = this.names.map(quoted).join(', ')
    this.insertion = `(${this.list}) VALUES (${this.names.map(() => '?').join(', ')})`
    this.#isJson = fields.map(([, field]) => isObject(field))
    this.#hasJson = this.#isJson.includes(true)
  }

  /** For `UPDATE … SET`; its values are {@link valuesOf} a row. */
  get assignments(): string {
    return this.names.map((name) => `${quoted(name)} = ?`).join(', ')
  }

  valuesOf(row: Row): unknown[] {
    const values: unknown[] = []
    for (let at = 0; at < this.names.length; at += 1) {
      const value = row[this.names[at]!]
      values.push(this.#isJson[at] && value !== null ? JSON.stringify(value) : value)
    }
    return values
  }

  /** From the list of a row's values, as a raw statement gives it. */
  rowOf(values: readonly unknown[]): Row {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < this.names.length; at += 1) row[this.names[at]!] = values[at]
    if (this.#hasJson) this.#readJson(row)
    return row as Row
  }

  #readJson(row: Record<string, unknown>): void {
    for (const [at, name] of this.names.entries()) {
      if (this.#isJson[at] && row[name] !== null) row[name] = JSON.parse(row[name] as string)
    }
  }
}

const quoted = (name: string) => `"${name}"`

const isObject = (field: z.ZodType): boolean =>
  field instanceof z.ZodNullable ? isObject(field.unwrap() as z.ZodType) : field instanceof z.ZodObject
