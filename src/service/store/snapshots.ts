/** Copies of a sandbox's database, kept under a name: in memory, or as files beside the database's. */
import { existsSync, statSync } from 'node:fs'
import { readUpTo } from '../../spec/body.ts'
import { bodyTooLarge, notFound } from '../../spec/contract/errors.ts'
import { inMemoryForm } from './database.ts'
import {
  databaseFile,
  databasesIn,
  makeFolder,
  putInPlace,
  receiveUnfinished,
  removeFile,
  removeSnapshotFile,
  requireOwnFile,
  type SandboxFiles,
  versionInHeader,
  waitsForDisk,
  writeUnfinished,
} from './files.ts'
import { bytesSource, type DatabaseSource, fileSource } from './source.ts'
import { Database } from './sqlite.ts'
import { onDisk } from './storage-failure.ts'

/** The largest snapshot that is received into memory. */
const RECEIVED_MAX_BYTES = 256 * 1024 ** 2

export interface Snapshots {
  /** Sorted by name. */
  list(): { name: string; bytes: number }[]
  find(name: string): DatabaseSource | undefined
  /** Keeps a copy and returns its size. An older one of the same name stays until the new one is complete. */
  put(name: string, source: DatabaseSource): number
  /** The same for an upload in parts; `check` throws if it must not be kept. */
  receive(name: string, parts: AsyncIterable<Uint8Array>, check: Check): Promise<number>
  remove(name: string): void
  /** Called for a removed sandbox: forgets snapshots in memory. */
  clear(): void
}

/** Checks a database that was uploaded. */
type Check = (open: () => Database) => void

/** Counts the snapshots in memory, and calls `forget` when there is too much. */
export interface MemoryCount {
  add(item: { bytes: number; forget: () => void }): void
  release(item: { bytes: number; forget: () => void }): void
}

export const snapshots = (kept: SandboxFiles | undefined, memory: MemoryCount): Snapshots =>
  kept ? inFolder(kept.snapshots, waitsForDisk(kept.durability)) : inMemory(memory)

function inMemory(memory: MemoryCount): Snapshots {
  const stored = new Map<string, { content: Buffer; bytes: number; forget: () => void }>()
  const remove = (name: string) => {
    const snapshot = stored.get(name)
    if (!snapshot) return
    stored.delete(name)
    memory.release(snapshot)
  }
  function put(name: string, source: DatabaseSource): number {
    const content = source.bytes()
    remove(name)
    const snapshot = { content, bytes: content.length, forget: () => void stored.delete(name) }
    stored.set(name, snapshot)
    memory.add(snapshot)
    return content.length
  }
  return {
    list: () => [...stored].map(([name, { bytes }]) => ({ name, bytes })).sort(byName),
    find(name) {
      const snapshot = stored.get(name)
      return snapshot && bytesSource(snapshot.content)
    },
    put,
    async receive(name, parts, check) {
      const received = await readUpTo(parts, RECEIVED_MAX_BYTES)
      if (received.length > RECEIVED_MAX_BYTES) throw bodyTooLarge()
      const bytes = inMemoryForm(received)
      check(() => new Database(bytes))
      return put(name, bytesSource(bytes))
    },
    remove,
    clear: () => [...stored.keys()].forEach(remove),
  }
}

function inFolder(folder: string, isDurable: boolean): Snapshots {
  const fileOf = (name: string) => databaseFile(folder, name)
  const names = () => onDisk(() => databasesIn(folder).filter((name) => versionInHeader(fileOf(name))))
  return {
    list: () =>
      names()
        .map((name) => ({ name, bytes: statSync(fileOf(name)).size }))
        .sort(byName),
    find: (name) => (names().includes(name) ? fileSource(fileOf(name)) : undefined),
    put(name, source) {
      makeFolder(folder)
      requireOwnFile(folder, name)
      const file = fileOf(name)
      putInPlace(
        writeUnfinished(file, isDurable, (unfinished) => source.writeTo(unfinished)),
        file,
        isDurable,
      )
      return statSync(file).size
    },
    async receive(name, parts, check) {
      makeFolder(folder)
      requireOwnFile(folder, name)
      const file = fileOf(name)
      const unfinished = await receiveUnfinished(file, isDurable, parts)
      try {
        // The sandbox and its folder may have been removed meanwhile.
        if (!existsSync(unfinished)) throw notFound('Sandbox')
        check(() => new Database(unfinished))
        putInPlace(unfinished, file, isDurable)
      } finally {
        removeFile(unfinished)
      }
      return statSync(file).size
    },
    remove: (name) => removeSnapshotFile(folder, name, isDurable),
    clear() {},
  }
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
