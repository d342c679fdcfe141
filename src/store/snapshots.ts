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
}

export const snapshots = (folder: string | undefined, isDurable: boolean): Snapshots =>
  folder === undefined ? inMemory() : inFolder(folder, isDurable)

function inMemory(): Snapshots {
  const kept = new Map<string, Buffer>()
  return {
    list: () => [...kept].map(([name, { length }]) => ({ name, bytes: length })).sort(byName),
    find(name) {
      const bytes = kept.get(name)
      return bytes && bytesSource(bytes)
    },
    put(name, source) {
      const bytes = source.bytes()
      kept.set(name, bytes)
      return bytes.length
    },
    remove: (name) => void kept.delete(name),
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
  }
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
