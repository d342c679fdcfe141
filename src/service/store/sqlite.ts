/**
 * SQLite, in the edition for the Node that runs. From Node-API 10 on, which is Node 22.14, it is the one that every such Node
 * can load, with binaries that come along. Node 20 crashes with it and takes an edition that is compiled for one Node: 12.9,
 * the last that offers a binary for Node 20. That one in turn aborts a process on Node 24.19 and later, whenever a statement is collected.
 */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const edition = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

export const Database: typeof Sqlite = load()

/** Both are optional dependencies, because npm installs neither without a warning where the other fits. */
function load(): typeof Sqlite {
  try {
    const loaded: typeof Sqlite = createRequire(import.meta.url)(edition)
    // The binary is loaded with the first database.
    new loaded(':memory:').close()
    return loaded
  } catch (cause) {
    const why = `SQLite is not installed for Node ${process.version}`
    const what = `npm install without --omit=optional, then npm rebuild ${edition}, installs it`
    throw new Error(`${why}; ${what}.`, { cause })
  }
}
export type Database = Sqlite.Database
