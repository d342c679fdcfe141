/** Copies of a sandbox's database, kept under a name: in memory, or as files next to the database. */
import { statSync } from 'node:fs'
import {
  databaseFile,
  databasesIn,
  makeFolder,
  putInPlace,
  removeSnapshotFile,
  requireOwnFile,
  type SandboxFiles,
  userVersionOf,
  waitsForDisk,
  writeUnfinished,
} from './files.ts'
import { bytesSource, type DatabaseSource, fileSource } from './source.ts'
import { onDisk } from './storage-failure.ts'

export interface Snapshots {
  /** Sorted by name. */
  list(): { name: string; bytes: number }[]
  find(name: string): DatabaseSource | undefined
  /** Stores a copy and returns its size. An older snapshot of the same name stays until the new one is complete. */
  put(name: string, source: DatabaseSource): number
  remove(name: string): void
  /** Called for a removed sandbox; forgets its snapshots in memory. */
  clear(): void
}

/** Counts the snapshots in memory, and calls `forget` if they take too much. */
interface MemoryCount {
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
  return {
    list: () => [...stored].map(([name, { bytes }]) => ({ name, bytes })).sort(byName),
    find(name) {
      const snapshot = stored.get(name)
      return snapshot && bytesSource(snapshot.content)
    },
    put(name, source) {
      const content = source.bytes()
      remove(name)
      const snapshot = { content, bytes: content.length, forget: () => void stored.delete(name) }
      stored.set(name, snapshot)
      memory.add(snapshot)
      return content.length
    },
    remove,
    clear: () => [...stored.keys()].forEach(remove),
  }
}

function inFolder(folder: string, isDurable: boolean): Snapshots {
  const fileOf = (name: string) => databaseFile(folder, name)
  const names = () => onDisk(() => databasesIn(folder).filter((name) => userVersionOf(fileOf(name))))
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
      const unfinished = writeUnfinished(file, isDurable, (unfinished) => source.writeTo(unfinished))
      putInPlace(unfinished, file, isDurable)
      return statSync(file).size
    },
    remove: (name) => removeSnapshotFile(folder, name, isDurable),
    clear() {},
  }
}

const byName = (left: { name: string }, right: { name: string }) => (left.name < right.name ? -1 : 1)
