/** Opening a database: in memory, empty or as a copy of another's bytes, or in a file. */
import { NotStored } from '../../spec/contract/errors.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { type Durability, LOG_AT, NO_LOG, versionInHeader, waitsForDisk } from './files.ts'
import { MIGRATIONS } from './migrations.ts'
import { SettingTable } from './settings.ts'
import { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { asStorageFailure, isDamage, whyNotOpened } from './storage-failure.ts'

export interface DatabaseLocation {
  /** The database's file; left out, it is in memory. */
  file?: string | undefined
  durability?: Durability | undefined
  /** The bytes of a database to begin with, in memory; left out, it begins empty. */
  from?: Buffer | undefined
  /** The file must exist: a new one in place of a lost file would be empty without a word. */
  isThere?: boolean | undefined
}

/**
 * The size of a page. In memory a commit copies every changed page twice, so short pages leave more room in
 * the processor's cache. In a file each page is a write of its own.
 */
const PAGE_BYTES = { memory: 1024, file: 4096 }

const emptyDatabases: { memory?: Buffer; file?: Buffer } = {}

/** Built once a process and then copied: building the schema takes milliseconds. */
export function emptyBytes(kind: 'memory' | 'file'): Buffer {
  emptyDatabases[kind] ??= buildEmpty(PAGE_BYTES[kind])
  return emptyDatabases[kind]
}

function buildEmpty(pageBytes: number): Buffer {
  const db = new Database(':memory:')
  db.pragma(`page_size = ${pageBytes}`)
  migrate(db, 'a new database')
  const bytes = db.serialize()
  db.close()
  return bytes
}

export function openDatabase({ file, durability, from, isThere }: DatabaseLocation): Database {
  const db = file === undefined ? openMemory(from) : openFile(file, durability, isThere)
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
  const db = new Database(from ?? emptyBytes('memory'))
  // Small, as the pages are in memory already: SQLite's usual sixteen megabytes would hold them a second time. With 1,500 KB a POST
  // to one of fifty sandboxes took 4 % more CPU time and left 7.4 KB in memory instead of 4.5.
  db.pragma('cache_size = -400')
  return db
}

function openFile(file: string, durability: Durability | undefined, isThere = false): Database {
  let db: Database | undefined
  try {
    db = new Database(file, { timeout: 0, fileMustExist: isThere })
    // Holds the file's lock as long as the database is open, so that no second process writes to it. In this mode
    // SQLite also needs no file of shared memory, for which a full disk has no room.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma(`synchronous = ${waitsForDisk(durability) ? 'FULL' : 'OFF'}`)
    db.pragma('journal_mode = WAL')
    return db
  } catch (cause) {
    db?.close()
    throw whyNotOpened(cause, file)
  }
}

/**
 * The bytes for a database in memory. The header of one in a file says that it has a write-ahead log, which a
 * copy in memory has not.
 */
export function inMemoryForm(bytes: Buffer): Buffer {
  NO_LOG.copy(bytes, LOG_AT)
  return bytes
}

class NewerDatabase extends Error {}

export function migrate(db: Database, name: string): void {
  requireKnownVersion(db, name)
  runMigrations(db, versionOf(db), MIGRATIONS.length)
}

function requireKnownVersion(db: Database, name: string): void {
  const version = versionOf(db)
  if (version > MIGRATIONS.length) throw new NewerDatabase(newer(name, version))
}

function runMigrations(db: Database, from: number, to: number): void {
  // Without it sqlite_schema is read-only. A migration may change the text of a CHECK there, which otherwise needs a copy of the table.
  db.unsafeMode(true)
  try {
    for (const [index, sql] of MIGRATIONS.slice(0, to).entries()) {
      if (index < from) continue
      db.transaction(() => {
        db.exec(sql)
        db.pragma(`user_version = ${index + 1}`)
      })()
    }
  } finally {
    db.unsafeMode(false)
  }
}

const newer = (name: string, version: number) =>
  `${name} was written by a newer paysim (schema ${version}, this one knows ${MIGRATIONS.length}); start it with that version or newer.`

/** The version of the schema: how many migrations it has had; 0 for a database that paysim did not make. */
export const versionOf = (db: Database) => db.pragma('user_version', { simple: true }) as number

const NOT_OURS = 'it is not the database of a sandbox'
const DAMAGED = 'it is damaged'

/** Why a database cannot be a sandbox's; undefined for one that can. Runs the migrations that it lacks. */
export function whyNotOurs(open: () => Database): string | undefined {
  let db: Database | undefined
  try {
    db = open()
    // First of all: the check below runs what a foreign schema says, and a migration changes it.
    if (versionOf(db) < 1) return NOT_OURS
    requireKnownVersion(db, 'it')
    const damage = db.pragma('quick_check(1)', { simple: true })
    if (damage !== 'ok') return `it is damaged: ${damage}`
    migrate(db, 'it')
    const given = schemaOf(db)
    return [...ourSchema()!].every(([name, sql]) => given.get(name) === sql) ? undefined : NOT_OURS
  } catch (cause) {
    if (cause instanceof NewerDatabase) return cause.message
    if (isDamage(cause)) return DAMAGED
    if (asStorageFailure(cause) instanceof NotStored) throw cause
    return NOT_OURS
  } finally {
    db?.close()
  }
}

/** The schema after each number of migrations. */
const ours = new Map<number, Map<string, string>>()

/** The schema of that version; undefined where there is no such version. */
export function ourSchema(version: number = MIGRATIONS.length): Map<string, string> | undefined {
  if (version < 1 || version > MIGRATIONS.length) return undefined
  return keptOrMade(ours, version, () => {
    const db = new Database(':memory:')
    runMigrations(db, 0, version)
    const made = schemaOf(db)
    db.close()
    return made
  })
}

/** Every table, index, trigger and view with the SQL that made it; SQLite's own indexes have none. */
export function schemaOf(db: Database): Map<string, string> {
  const made = db.prepare<[], [string, string | null]>(
    `SELECT type || ' ' || name || ' on ' || tbl_name, sql FROM sqlite_schema`,
  )
  return new Map(
    made
      .raw()
      .all()
      .map(([what, sql]) => [what, sql ?? '']),
  )
}

/** Thrown for a file in the data folder that cannot be a sandbox's database. */
class NotKept extends Error {}

/**
 * Reads one setting of a kept database without opening a sandbox on it. A file with a foreign header is not
 * opened: SQLite could change another program's database.
 */
export function readSetting(file: string, name: string): unknown {
  const version = versionInHeader(file)
  if (version === undefined) throw new NotKept('it is not a database')
  if (version > MIGRATIONS.length) throw new NotKept(newer('it', version))
  const db = new Database(file, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    return new SettingTable(new Statements(db)).get(name) ?? notOurs()
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError) || !/^SQLITE_(ERROR|CORRUPT|NOTADB)/.test(cause.code))
      throw cause
    throw new NotKept(isDamage(cause) ? DAMAGED : NOT_OURS)
  } finally {
    db.close()
  }
}

function notOurs(): never {
  throw new NotKept(NOT_OURS)
}
