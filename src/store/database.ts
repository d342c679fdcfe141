/** Opening a database: in memory or in a file, new, kept, or as a copy of another's bytes. */

import { writeFileSync } from 'node:fs'
import { MIGRATIONS } from './migrations.ts'
import { settingStore } from './settings.ts'
import { Database } from './sqlite.ts'
import { Statements } from './statements.ts'

export type Durability = 'commit' | 'process'

export interface DatabaseLocation {
  /** A file; without one the database lives in memory. */
  file?: string | undefined
  durability?: Durability | undefined
  /** The bytes to start from, in place of an empty database. */
  from?: Buffer | undefined
}

let emptyDatabase: Buffer | undefined

/** Building the schema takes milliseconds, copying it does not, so it is built once a process. */
function emptyBytes(): Buffer {
  if (emptyDatabase === undefined) {
    const db = new Database(':memory:')
    migrate(db, 'a new database')
    emptyDatabase = db.serialize()
    db.close()
  }
  return emptyDatabase
}

export function openDatabase({ file, durability = 'commit', from }: DatabaseLocation): Database {
  const db = file === undefined ? openMemory(from) : openFile(file, durability, from)
  try {
    migrate(db, file ?? 'this snapshot')
  } catch (cause) {
    db.close()
    throw cause
  }
  db.pragma('foreign_keys = ON')
  return db
}

function openMemory(from: Buffer | undefined): Database {
  const db = new Database(from ?? emptyBytes())
  // Its pages are in memory already; SQLite's usual sixteen megabytes would be a second copy of them.
  db.pragma('cache_size = -1500')
  return db
}

function openFile(file: string, durability: Durability, from: Buffer | undefined): Database {
  if (from) writeFileSync(file, from)
  const db = new Database(file)
  try {
    db.pragma('journal_mode = WAL')
  } catch (cause) {
    db.close()
    if ((cause as { code?: string }).code !== 'SQLITE_NOTADB') throw cause
    throw new Error(`${file} is not a database; move it away, or name another folder.`)
  }
  // FULL waits for the disk at every commit. OFF hands the writes to the operating system, which outlives the process.
  db.pragma(`synchronous = ${durability === 'commit' ? 'FULL' : 'OFF'}`)
  return db
}

/** A kept database says in its header that it has a write-ahead log; a copy in memory has none and must not say so. */
export function inMemoryForm(bytes: Buffer): Buffer {
  bytes[18] = 1
  bytes[19] = 1
  return bytes
}

export class NewerDatabase extends Error {}

function migrate(db: Database, name: string): void {
  const version = versionOf(db)
  if (version > MIGRATIONS.length) {
    throw new NewerDatabase(
      `${name} was written by a newer paysim (schema ${version}, this one knows ${MIGRATIONS.length}); start it with that version or newer.`,
    )
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue
    db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${index + 1}`)
    })()
  }
}

/** How many migrations a database has seen; none for one that was never ours. */
export const versionOf = (db: Database) => db.pragma('user_version', { simple: true }) as number

/** Whether bytes, once they have been brought up to date, have every table, column and index as we make them. */
export function isOurs(bytes: Buffer): boolean {
  const [given, ours] = [bytes, undefined].map((from) => {
    const db = openDatabase({ from })
    try {
      const made = db.prepare<[], [string, string]>(
        'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL',
      )
      return new Map(made.raw().all())
    } finally {
      db.close()
    }
  }) as [Map<string, string>, Map<string, string>]
  return [...ours].every(([name, sql]) => given.get(name) === sql)
}

/** Reads one setting of a kept database, without opening a sandbox on it. */
export function readSetting(file: string, name: string): unknown {
  const db = openDatabase({ file })
  try {
    return settingStore(new Statements(db)).get(name)
  } finally {
    db.close()
  }
}
