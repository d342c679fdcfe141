/**
 * The files of kept sandboxes: NAME.sqlite, its write-ahead log, and the folder of its snapshots. A new file is written under an
 * unfinished name and then renamed; a file is removed by renaming it first. The process may therefore be killed at any step:
 * leftovers have an ending that the next start removes.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { differsInCase, NotStored } from '../../spec/contract/errors.ts'
import { onDisk } from './storage-failure.ts'

export type Durability = 'commit' | 'process'

/**
 * Whether commits wait for the disk (`commit`), or only for the operating system, which outlives the process
 * (`process`).
 */
export const waitsForDisk = (durability: Durability = 'commit'): boolean => durability === 'commit'

/** The files of a sandbox. A sandbox in memory has none. */
export interface SandboxFiles {
  readonly database: string
  /** A folder. */
  readonly snapshots: string
  readonly durability: Durability
  /** Removes the sandbox's files. */
  remove(): void
}

export function sandboxFiles(folder: string, name: string, durability: Durability): SandboxFiles {
  return {
    database: databaseFile(folder, name),
    snapshots: snapshotFolder(folder, name),
    durability,
    remove: () => removeSandboxFiles(folder, name, waitsForDisk(durability)),
  }
}

const DATABASE = '.sqlite'
const UNFINISHED = '.unfinished'
const REMOVED = '.removed'
const SET_ASIDE = '.set-aside-'

/**
 * The files that SQLite puts next to a database. SQLite takes any log with the right name for the database's, without comparing
 * the content.
 */
const BESIDE = ['-wal', '-shm', '-journal']

const SNAPSHOTS = 'snapshots'

/** Not `path.join`, which reads every character: a start makes two of these paths for each kept sandbox. */
export const databaseFile = (folder: string, name: string): string => `${folder}${sep}${name}${DATABASE}`
const snapshotFolder = (folder: string, name: string): string => join(folder, SNAPSHOTS, name)

/** Writes a file under its unfinished name and returns that name; if writing fails, the file is removed. */
export function writeUnfinished(
  file: string,
  isDurable: boolean,
  write: (unfinished: string) => void,
): string {
  const unfinished = `${file}${UNFINISHED}`
  return onDisk(() => {
    try {
      removeFile(unfinished)
      write(unfinished)
      if (isDurable) flush(unfinished, 'r+')
      return unfinished
    } catch (cause) {
      removeFile(unfinished)
      throw cause
    }
  })
}

/**
 * Renames the unfinished file to `file`, which is complete before and after. A log next to the old file is removed, because
 * SQLite would take it for the new file's.
 */
export function putInPlace(unfinished: string, file: string, isDurable: boolean): void {
  onDisk(() => {
    removeBeside(file)
    renameSync(unfinished, file)
    if (isDurable) flushFolder(dirname(file))
  })
}

/**
 * Removes a sandbox's files. The database is renamed first, because a sandbox exists while its database has its name; if that
 * fails, nothing is removed. The next start removes any leftovers.
 */
function removeSandboxFiles(folder: string, name: string, isDurable: boolean): void {
  const file = databaseFile(folder, name)
  const removed = `${file}${REMOVED}`
  if (existsSync(file)) onDisk(() => renameForGood(file, removed, isDurable))
  try {
    removeBeside(file)
    // On Windows a virus scanner may briefly keep a file from being removed. Node tries again.
    const trying = { recursive: true, force: true, maxRetries: 3 }
    for (const path of [snapshotFolder(folder, name), removed]) rmSync(path, trying)
  } catch {
    // Ignored: the next start removes the rest.
  }
}

function renameForGood(from: string, to: string, isDurable: boolean): void {
  renameSync(from, to)
  try {
    if (isDurable) flushFolder(dirname(to))
  } catch (cause) {
    renameSync(to, from)
    throw cause
  }
}

export function removeSnapshotFile(folder: string, name: string, isDurable: boolean): void {
  onDisk(() => {
    rmSync(databaseFile(folder, name), { force: true })
    if (isDurable) flushFolder(folder)
  })
}

export function readToTheEnd(file: string): void {
  const part = Buffer.alloc(2 ** 20)
  const opened = openSync(file, 'r')
  try {
    while (readSync(opened, part) > 0);
  } finally {
    closeSync(opened)
  }
}

/** Renames a file that cannot be served, so that later starts skip it, and returns the new name. */
export function setAside(file: string): string {
  let number = 1
  while (existsSync(`${file}${SET_ASIDE}${number}`)) number += 1
  const aside = `${file}${SET_ASIDE}${number}`
  renameSync(file, aside)
  for (const ending of BESIDE) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${aside}${ending}`)
  }
  return aside
}

/** Removes the leftovers of a killed process: unfinished and renamed files, and logs without a database. */
export function sweep(folder: string): void {
  const files = new Set(readdirSync(folder))
  for (const file of files) {
    // Most files are databases; looking at each would take a twentieth of a start with a thousand sandboxes.
    if (file.endsWith(DATABASE)) continue
    const path = join(folder, file)
    if (file.endsWith(`${DATABASE}${REMOVED}`)) {
      const name = file.slice(0, -`${DATABASE}${REMOVED}`.length)
      if (files.has(`${name}${DATABASE}`)) rmSync(path)
      else removeSandboxFiles(folder, name, false)
    }
    if (isBegun(file) || BESIDE.some((ending) => isOrphan(files, file, ending))) rmSync(path, { force: true })
  }
  const snapshots = join(folder, SNAPSHOTS)
  if (!existsSync(snapshots)) return
  for (const entry of readdirSync(snapshots, { recursive: true, encoding: 'utf8' })) {
    if (isBegun(entry)) rmSync(join(snapshots, entry), { force: true })
  }
}

const isBegun = (file: string) =>
  ['', ...BESIDE].some((ending) => file.endsWith(`${DATABASE}${UNFINISHED}${ending}`))

const isOrphan = (files: ReadonlySet<string>, file: string, ending: string) =>
  file.endsWith(`${DATABASE}${ending}`) && !files.has(file.slice(0, -ending.length))

/**
 * A check for a file or folder in use: throws if its path now leads to another file or to none. Writes to a moved or removed file
 * succeed, and the rows are lost when it is closed.
 */
export function requireUnmoved(path: string): () => void {
  const idOf = () => {
    try {
      const { dev, ino } = statSync(path)
      return `${dev} ${ino}`
    } catch {
      return undefined
    }
  }
  const id = idOf()
  return () => {
    if (id === undefined || idOf() !== id) throw new NotStored(`${path} was moved or removed`, undefined)
  }
}

/** Requests that arrive in one turn of the event loop share a check, as they share a commit. */
export function oncePerTurn(check: () => void): () => void {
  let isChecked = false
  return () => {
    if (isChecked) return
    check()
    isChecked = true
    setImmediate(() => {
      isChecked = false
    })
  }
}

/** Removes a database's file and the files that belong to it. */
function removeFile(file: string): void {
  rmSync(file, { force: true })
  removeBeside(file)
}

function removeBeside(file: string): void {
  for (const ending of BESIDE) rmSync(`${file}${ending}`, { force: true })
}

/** The names of the databases in a folder; none if the folder does not exist. */
export const databasesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(DATABASE))
        .map((file) => file.slice(0, -DATABASE.length))
    : []

/** Throws if the file system takes another name for this one, as macOS and Windows take `Shop` for `shop`. */
export function requireOwnFile(folder: string, name: string): void {
  if (existsSync(databaseFile(folder, name)) && !databasesIn(folder).includes(name)) throw differsInCase(name)
}

export const makeFolder = (folder: string): void => void onDisk(() => mkdirSync(folder, { recursive: true }))

const HEADER_BYTES = 100
/**
 * The two bytes of SQLite's header that indicate a write-ahead log (one for writing, one for reading), and their value for "no
 * log".
 */
export const LOG_AT = 18
export const NO_LOG = Buffer.from([1, 1])
const MAGIC = 'SQLite format 3\0'

/**
 * `user_version` in a file's header. Reads the bytes, because opening the file as a database could write to it. Undefined if the
 * file is not a database.
 */
export function userVersionOf(file: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  const opened = openSync(file, 'r')
  try {
    if (readSync(opened, header) < HEADER_BYTES || !header.toString('latin1').startsWith(MAGIC))
      return undefined
    return header.readInt32BE(60)
  } finally {
    closeSync(opened)
  }
}

/** Windows cannot flush a folder (EPERM), but NTFS logs its renames. */
function flushFolder(folder: string): void {
  if (process.platform !== 'win32') flush(folder, 'r')
}

function flush(path: string, flags: string): void {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
