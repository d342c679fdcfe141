/**
 * The columns of a table are the fields of its rows' schema: the contract's own for a resource, one in the
 * store's file for other rows. So a new field is read and written everywhere; a test compares the schemas
 * with the tables that the migrations make. A field that is an object is stored as JSON.
 *
 * A row is read as one text, the JSON of its values: each separate value of SQLite takes as long as twenty
 * characters of JSON (21 checkouts: 35 µs instead of 74). A column that holds JSON already is read
 * separately, as it would be escaped.
 *
 * Loops over the names cost 1 % of a POST or a GET of one resource compared with code generated for each
 * table; named parameters would cost a POST 3 %.
 */
import { z } from 'zod'
import { JsonText } from '../../spec/contract/json-writer.ts'

export class Columns<Row> {
  readonly names: readonly (keyof Row & string)[]
  /** The columns of a `SELECT`, by their names. */
  readonly list: string
  /** The columns of a `SELECT` of whole rows, which {@link rowOf} reads. */
  readonly row: string
  /** The rest of an `INSERT` after the table's name; {@link valuesOf} gives its values. */
  readonly insertion: string
  readonly #isJson: readonly boolean[]
  readonly #hasJson: boolean
  /** The columns that are read in one JSON text, and those that hold JSON and are read separately. */
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

  /** The assignments of an `UPDATE … SET`; {@link valuesOf} gives their values. */
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

  /** Makes a row of the values that a query of {@link row} returns. */
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
