/** Databases kept under a name: in memory, or as files beside the one of the sandbox that they come from. */
import { rmSync, statSync } from 'node:fs'
import {
  databaseFile,
  databasesIn,
  makeFolder,
  putInPlace,
  versionInHeader,
  writeUnfinished,
} from './files.ts'
import { bytesSource, type DatabaseSource, fileSource } from './source.ts'

export interface Snapshots {
  /** By name. */
  list(): { name: string; bytes: number }[]
  find(name: string): DatabaseSource | undefined
  /** Returns its size. One of the same name stays until the new one is whole. */
  put(name: string, source: DatabaseSource): number
  remove(name: string): void
  /** Of a removed sandbox: what is in memory. */
  clear(): void
}

/** Counts what is kept in memory, and calls `forget` when it is too much. */
export interface MemoryCount {
  add(kept: { bytes: number; forget: () => void }): void
  release(kept: { bytes: number; forget: () => void }): void
}

export const snapshots = (folder: string | undefined, isDurable: boolean, memory: MemoryCount): Snapshots =>
  folder === undefined ? inMemory(memory) : inFolder(folder, isDurable)

function inMemory(memory: MemoryCount): Snapshots {
  const kept = new Map<string, { content: Buffer; bytes: number; forget: () => void }>()
  const remove = (name: string) => {
    const snapshot = kept.get(name)
    if (!snapshot) return
    kept.delete(name)
    memory.release(snapshot)
  }
  return {
    list: () => [...kept].map(([name, { bytes }]) => ({ name, bytes })).sort(byName),
    find(name) {
      const snapshot = kept.get(name)
      return snapshot && bytesSource(snapshot.content)
    },
    put(name, source) {
      const content = source.bytes()
      remove(name)
      const snapshot = { content, bytes: content.length, forget: () => void kept.delete(name) }
      kept.set(name, snapshot)
      memory.add(snapshot)
      return content.length
    },
    remove,
    clear: () => [...kept.keys()].forEach(remove),
  }
}

function inFolder(folder: string, isDurable: boolean): Snapshots {
  const fileOf = (name: string) => databaseFile(folder, name)
  const names = () => databasesIn(folder).filter((name) => versionInHeader(fileOf(name)))
  return {
    list: () =>
      names()
        .map((name) => ({ name, bytes: statSync(fileOf(name)).size }))
        .sort(byName),
    find: (name) => (names().includes(name) ? fileSource(fileOf(name)) : undefined),
    put(name, source) {
      makeFolder(folder)
      const file = fileOf(name)
      putInPlace(
        writeUnfinished(file, isDurable, (unfinished) => source.writeTo(unfinished)),
        file,
        isDurable,
      )
      return statSync(file).size
    },
    remove: (name) => rmSync(fileOf(name), { force: true }),
    clear() {},
  }
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
