/**
 * Loads SQLite, in the edition that fits the Node that runs. From Node-API 10 (Node 22.14) on, one edition
 * with ready binaries fits every Node. Node 20 crashes with that one and gets better-sqlite3 12.9, the last
 * with a binary for Node 20. That in turn aborts a process on Node 24.19 and later, whenever a statement is
 * garbage-collected.
 */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const edition = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

export const Database: typeof Sqlite = load()

/** Both editions are optional dependencies: npm installs only what fits, without a warning. */
function load(): typeof Sqlite {
  try {
    const loaded: typeof Sqlite = createRequire(import.meta.url)(edition)
    // Opening a database loads the binary, so a missing one is noticed here.
    new loaded(':memory:').close()
    return loaded
  } catch (cause) {
    const why = `SQLite is not installed for Node ${process.version}`
    const what = `npm install without --omit=optional, then npm rebuild ${edition}, installs it`
    throw new Error(`${why}; ${what}.`, { cause })
  }
}
export type Database = Sqlite.Database
