/** Opening a database: in memory, empty or as a copy of another's bytes, or in a file. */
import { existsSync } from 'node:fs'
import { invalidSnapshot, NotStored } from '../../spec/contract/errors.ts'
import { type Durability, LOG_AT, NO_LOG, userVersionOf, waitsForDisk } from './files.ts'
import { LAYOUT, SCHEMA } from './schema.ts'
import { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { isDamage } from './storage-failure.ts'

export interface DatabaseLocation {
  /** An existing database; default: in memory. */
  file?: string | undefined
  durability?: Durability | undefined
  /** The content of a database in memory; default: empty tables. */
  from?: Buffer | undefined
}

/**
 * The page size. In memory a commit copies every changed page twice, so short pages leave more room in the processor's cache. In
 * a file each page is a separate write.
 */
const PAGE_BYTES = { memory: 1024, file: 4096 }

const emptyDatabases: { memory?: Buffer; file?: Buffer } = {}

/** Built once per process and then copied, because building the schema takes milliseconds. */
export function emptyBytes(kind: 'memory' | 'file'): Buffer {
  emptyDatabases[kind] ??= buildEmpty(PAGE_BYTES[kind])
  return emptyDatabases[kind]
}

function buildEmpty(pageBytes: number): Buffer {
  const db = new Database(':memory:')
  db.pragma(`page_size = ${pageBytes}`)
  db.exec(SCHEMA)
  db.pragma(`user_version = ${LAYOUT}`)
  const bytes = db.serialize()
  db.close()
  return bytes
}

export function openDatabase({ file, durability, from }: DatabaseLocation): Database {
  const db = file === undefined ? openMemory(from) : openFile(file, durability)
  db.pragma('foreign_keys = ON')
  return db
}

function openMemory(from: Buffer | undefined): Database {
  const db = new Database(from ?? emptyBytes('memory'))
  // Small, because the pages are in memory already: SQLite's default sixteen megabytes would hold them twice. With 1,500 KB a
  // POST to one of fifty sandboxes took 4 % more CPU time and left 7.4 KB in memory instead of 4.5.
  db.pragma('cache_size = -400')
  return db
}

function openFile(file: string, durability: Durability | undefined): Database {
  if (!existsSync(file)) throw new NotStored(`${file} was moved or removed`, undefined)
  requireLayout(file)
  const db = new Database(file, { timeout: 0, fileMustExist: true })
  try {
    // Holds the file's lock while the database is open, so that no second process writes to it. SQLite then also needs no
    // shared-memory file, for which a full disk has no room.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma(`synchronous = ${waitsForDisk(durability) ? 'FULL' : 'OFF'}`)
    db.pragma('journal_mode = WAL')
    // Keeps what a savepoint may take back in memory. SQLite writes more than 64 KB of it to a file in /var/tmp.
    db.pragma('temp_store = MEMORY')
    return db
  } catch (cause) {
    db.close()
    throw unreadable(cause)
  }
}

/** The bytes for a database in memory, with the header changed from write-ahead log to no log. */
export function inMemoryForm(bytes: Buffer): Buffer {
  NO_LOG.copy(bytes, LOG_AT)
  return bytes
}

/** Thrown for a file that cannot be a sandbox's database. */
class Unreadable extends Error {}

/** SQLite must not open a file with a foreign header, because that could change another program's database. */
function requireLayout(file: string): void {
  const version = userVersionOf(file)
  if (version === undefined) throw new Unreadable('it is not a database')
  if (version !== LAYOUT)
    throw new Unreadable('it is not the database of a sandbox of this version of paysim')
}

const unreadable = (cause: unknown) => (isDamage(cause) ? new Unreadable('it is damaged', { cause }) : cause)

/** Reads a database without opening a sandbox on it. */
export function readDatabase<Content>(file: string, read: (statements: Statements) => Content): Content {
  const db = openFile(file, 'process')
  try {
    return read(new Statements(db))
  } catch (cause) {
    throw unreadable(cause)
  } finally {
    db.close()
  }
}

/** Throws for a file that a sandbox cannot be restored from or copied from. */
export function requireSound(file: string): void {
  let damage: unknown
  try {
    requireLayout(file)
    const db = new Database(file, { fileMustExist: true })
    damage = db.pragma('quick_check(1)', { simple: true })
    db.close()
  } catch (cause) {
    const why = unreadable(cause)
    throw why instanceof Unreadable ? invalidSnapshot(why.message) : why
  }
  if (damage !== 'ok') throw invalidSnapshot(`it is damaged: ${damage}`)
}
