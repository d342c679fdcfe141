/**
 * SQLite, in the edition for the Node that runs. From Node-API 10 on, which is Node 22.14, it is the one that every such Node
 * can load, with binaries that come along. Node 20 crashes with it and takes the last edition that is compiled for one Node;
 * that one in turn aborts a process on Node 24.19 and later, whenever a statement is collected.
 */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const edition = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

export const Database: typeof Sqlite = createRequire(import.meta.url)(edition)
export type Database = Sqlite.Database
