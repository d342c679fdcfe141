/**
 * The columns of a table are the fields of its rows' schema: the contract's own where the row is a resource, one in the
 * store's file where it is not. So a new field is read and written everywhere, and a test compares the schemas with the
 * tables that the migrations make. A field that is an object is stored as JSON.
 *
 * A row is read as one text, the JSON of its values: each value that SQLite hands over by itself takes as long as twenty
 * characters of JSON, and 21 checkouts 74 µs in place of 35. A column that is JSON already would be escaped, so it is handed
 * over by itself.
 *
 * Loops over the names cost 1 % of a POST or a GET of one resource against code that was generated for each table, and named
 * parameters would cost a POST 3 %.
 */
import { z } from 'zod'
import { JsonText } from '../../spec/contract/json-writer.ts'

export class Columns<Row> {
  readonly names: readonly (keyof Row & string)[]
  /** For `SELECT` of the columns by their names. */
  readonly list: string
  /** For `SELECT` of whole rows, as {@link rowOf} reads them. */
  readonly row: string
  /** What follows the table's name in an `INSERT`; its values are {@link valuesOf} a row. */
  readonly insertion: string
  readonly #isJson: readonly boolean[]
  readonly #hasJson: boolean
  /** The names of the columns that are read in one text, and of those that are JSON texts themselves. */
  readonly #together: readonly string[]
  readonly #texts: readonly string[]

  constructor(schema: z.ZodObject & z.ZodType<Row>, except: readonly (keyof Row & string)[] = []) {
    const fields = (Object.entries(schema.shape) as [keyof Row & string, z.ZodType][]).filter(
      ([name]) => !except.includes(name),
    )
    this.names = fields.map(([name]) => name)
    this.list = this.names.map(quoted).join(', ')
    this.insertion = `(${this.list}) VALUES (${this.names.map(() => '?').join(', ')})`
    this.#together = fields.filter(([, field]) => field !== JsonText).map(([name]) => name)
    this.#texts = fields.filter(([, field]) => field === JsonText).map(([name]) => name)
    this.row = [`json_array(${this.#together.map(quoted).join(', ')})`, ...this.#texts.map(quoted)].join(', ')
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

  /** From what a raw statement gives for {@link row}. */
  rowOf(given: readonly unknown[]): Row {
    const values: unknown[] = JSON.parse(given[0] as string)
    const row: Record<string, unknown> = {}
    for (let at = 0; at < values.length; at += 1) row[this.#together[at]!] = values[at]
    for (let at = 0; at < this.#texts.length; at += 1) row[this.#texts[at]!] = given[at + 1]
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
