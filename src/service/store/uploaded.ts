/**
 * Checks an uploaded database before any other code reads it. It may contain anything: a trigger that changes
 * an amount or never ends, work without a subject, a malformed setting. Its schema must equal ours exactly;
 * then its rows and settings must be such as paysim writes.
 */

import type { z } from 'zod'
import { Authorization } from '../../spec/contract/authorization.ts'
import { Checkout } from '../../spec/contract/checkout.ts'
import { Customer } from '../../spec/contract/customer.ts'
import { CLOCK_MAX_MS } from '../../spec/contract/limits.ts'
import { jsonIn } from '../../spec/contract/parsed-json.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { Application } from '../domain/application.ts'
import { NEVER, Work } from './agenda.ts'
import { RecordedAnswer } from './answers.ts'
import { migrate, ourSchema, schemaOf, versionOf, whyNotOurs } from './database.ts'
import { AttemptRow, DeliveryRow } from './deliveries.ts'
import { EventRow } from './events.ts'
import { Movement } from './ledger.ts'
import { MessageRow } from './outbox.ts'
import type { Database } from './sqlite.ts'
import { Columns, type FoundRow } from './statements.ts'

/** The schema of each setting, by its name. */
export type SettingSchemas = Readonly<Record<string, z.ZodType>>

export interface UploadChecks {
  settings: SettingSchemas
  /** Whether a behavior could have stored this value. */
  isRemembered(kind: string, value: unknown): boolean
}

/**
 * The reason why a sandbox cannot use this database; undefined if it can. Runs the migrations that it lacks.
 */
export function whyNoSnapshot(
  open: () => Database,
  { settings, isRemembered }: UploadChecks,
): string | undefined {
  // First of all: a check would run what a foreign schema says, and a migration changes the schema.
  const foreign = whyForeignSchema(open)
  if (foreign !== undefined) return foreign
  const why = whyNotOurs(open)
  if (why !== undefined) return why
  const db = open()
  try {
    migrate(db, 'it')
    return whyWrongRows(db) ?? whyWrongSettings(db, settings) ?? whyWrongMemory(db, isRemembered)
  } finally {
    db.close()
  }
}

/**
 * Why the schema is foreign: every table, index, trigger and view must be one that the migrations make, and
 * none may be missing.
 */
function whyForeignSchema(open: () => Database): string | undefined {
  let db: Database | undefined
  try {
    db = open()
    db.pragma('trusted_schema = OFF')
    const ours = ourSchema(versionOf(db))
    // A newer database, or one of another program: `whyNotOurs` has a sentence for each, and looks no further.
    if (ours === undefined) return undefined
    const given = schemaOf(db)
    const other = [...given.keys()].find((name) => given.get(name) !== ours.get(name))
    if (other !== undefined) return `it has ${shortened(other)}, which paysim does not make`
    return given.size === ours.size ? undefined : 'it lacks a table or an index'
  } catch {
    return undefined
  } finally {
    db?.close()
  }
}

/** Queries that must find no row, each with what a row would be. */
const NONE_MAY_BE: readonly [string, string][] = [
  [
    `SELECT 1 FROM agenda WHERE kind = 'refund.complete'
      AND subject NOT IN (SELECT id FROM refunds WHERE status = 'pending')`,
    'work for a refund that does not wait for it',
  ],
  [
    `SELECT 1 FROM agenda WHERE kind = 'webhook.deliver'
      AND subject NOT IN (SELECT id FROM deliveries WHERE status = 'pending')`,
    'work for a delivery that does not wait for it',
  ],
  ['SELECT 1 FROM agenda GROUP BY kind, subject HAVING count(*) > 1', 'the same work twice'],
  [
    // A refund that waits for reads or for a gate is due at an instant that no clock reaches.
    `SELECT 1 FROM agenda WHERE dueAt NOT BETWEEN 0 AND ${2 * CLOCK_MAX_MS}
      AND NOT (kind = 'refund.complete' AND dueAt = ${NEVER})`,
    'work without a time',
  ],
  ['SELECT 1 FROM events WHERE NOT json_valid(body)', 'an event that is no JSON'],
  [
    'SELECT 1 FROM answers WHERE NOT json_valid(body) OR NOT json_valid(request)',
    'an answer that is no JSON',
  ],
  ['SELECT 1 FROM answers WHERE status NOT BETWEEN 200 AND 599', 'an answer without a status'],
  [`SELECT 1 FROM answers WHERE location GLOB '*[^!-~]*'`, 'a location that is none'],
]

function whyWrongRows(db: Database): string | undefined {
  // SQLite's own check of constraints, types and indexes: a file can be written without obeying them.
  const damage = db.pragma('integrity_check(1)', { simple: true })
  if (damage !== 'ok') return `it is damaged: ${shortened(String(damage))}`
  const [broken] = db.pragma('foreign_key_check') as { table: string; parent: string }[]
  if (broken) return `a row of ${broken.table} names one of ${broken.parent} that is not there`
  for (const [table, schema] of Object.entries(ROWS)) {
    if (hasWrongRow(db, table, schema)) return `a row of ${table} is not what paysim writes`
  }
  return NONE_MAY_BE.find(([sql]) => db.prepare(sql).get() !== undefined)?.[1]?.replace(/^/, 'it has ')
}

function hasWrongRow(db: Database, table: string, schema: z.ZodObject): boolean {
  const columns = new Columns(schema as z.ZodObject & z.ZodType<Record<string, unknown>>)
  const rows = db.prepare<[], FoundRow>(`SELECT ${columns.list} FROM ${table}`)
  for (const row of rows.iterate()) {
    try {
      // Encoding checks the values, and that they can be written as JSON.
      if (!schema.safeEncode(columns.rowOf(row)).success) return true
    } catch {
      return true
    }
  }
  return false
}

function whyWrongSettings(db: Database, schemas: SettingSchemas): string | undefined {
  const settings = db.prepare<[], [string, string]>('SELECT name, value FROM settings').raw().all()
  for (const [name, value] of settings) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    const read = schema?.safeParse(jsonIn(value))
    if (read?.success) continue
    const [issue] = read?.error.issues ?? []
    // A check of the setting as a whole has a message of its own.
    return issue?.code === 'custom' && issue.path.length === 0
      ? issue.message
      : `its setting ${shortened(name)} is not what paysim writes`
  }
  const missing = Object.keys(schemas).find(
    (name) => !schemas[name]!.safeParse(undefined).success && !settings.some(([other]) => other === name),
  )
  return missing === undefined ? undefined : `its setting ${missing} is missing`
}

function whyWrongMemory(db: Database, isRemembered: UploadChecks['isRemembered']): string | undefined {
  const rows = db.prepare<[], [string, string]>('SELECT kind, value FROM behavior_state').raw()
  for (const [kind, value] of rows.iterate()) {
    if (!isRemembered(kind, jsonIn(value))) return `what its behaviors remember is wrong: ${shortened(kind)}`
  }
  return undefined
}

/** The schema of each table's rows, by the table's name. `settings` has none: each setting has a schema of its own. */
export const ROWS: Record<string, z.ZodObject> = {
  agenda: Work,
  answers: RecordedAnswer,
  applications: Application,
  attempts: AttemptRow,
  authorizations: Authorization,
  checkouts: Checkout,
  customers: Customer,
  deliveries: DeliveryRow,
  events: EventRow,
  ledger: Movement,
  outbox: MessageRow,
  payment_methods: PaymentMethod,
  refunds: Refund,
}
