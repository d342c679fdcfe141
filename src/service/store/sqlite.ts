/**
 * Loads SQLite, in the version that fits the running Node. better-sqlite3 13 bundles its binaries and needs Node-API 10 (Node
 * 22.14): Node 20 crashes with it. 12.9 is the last with a binary for Node 20, and aborts a process on Node 24.19 and later
 * whenever a statement is garbage-collected. One optional dependency allows both: npm takes the newest version that supports the
 * running Node.
 */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const isNewer = Number(process.versions.napi) >= 10

/** The second name is for a lock file that serves Node 20 and newer versions, such as paysim's own. */
const NAMES = ['better-sqlite3', 'better-sqlite3-12']

const require = createRequire(import.meta.url)

export const Database: typeof Sqlite = load()

function load(): typeof Sqlite {
  const name = NAMES.find(isFit)
  try {
    if (name === undefined) throw new Error('No suitable edition is installed')
    const loaded: typeof Sqlite = require(name)
    // Opening a database loads the binary, which detects a missing one here.
    new loaded(':memory:').close()
    return loaded
  } catch (cause) {
    const why = `SQLite is not installed for Node ${process.version}`
    // A second install would leave the folder unchanged.
    if (name !== undefined) throw new Error(`${why}: npm rebuild ${name} builds its binary.`, { cause })
    // npm silently omits an optional package that cannot be compiled, also with this command.
    const how = isNewer
      ? 'better-sqlite3@13 installs it; after an npm ci that left it out, npm ci --ignore-scripts does'
      : 'better-sqlite3-12@npm:better-sqlite3@12.9 installs it, with Python, make and a C++ compiler where its binary cannot be fetched'
    throw new Error(`${why}; npm install --save-optional ${how}.`, { cause })
  }
}

function isFit(name: string): boolean {
  try {
    return Number.parseInt(require(`${name}/package.json`).version, 10) >= 13 === isNewer
  } catch {
    return false
  }
}
export type Database = Sqlite.Database
