/** Databases kept under a name: in memory, or as files beside the one of the sandbox that they come from. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ENDING = '.sqlite'

export interface Snapshots {
  /** By name. */
  list(): { name: string; bytes: number }[]
  find(name: string): Buffer | undefined
  put(name: string, bytes: Buffer): void
  remove(name: string): void
  clear(): void
}

export const snapshots = (folder: string | undefined): Snapshots =>
  folder === undefined ? inMemory() : inFolder(folder)

function inMemory(): Snapshots {
  const kept = new Map<string, Buffer>()
  return {
    list: () => [...kept].map(([name, { length }]) => ({ name, bytes: length })).sort(byName),
    find: (name) => kept.get(name),
    put: (name, bytes) => void kept.set(name, bytes),
    remove: (name) => void kept.delete(name),
    clear: () => kept.clear(),
  }
}

function inFolder(folder: string): Snapshots {
  const fileOf = (name: string) => join(folder, `${name}${ENDING}`)
  const names = () => {
    const files = existsSync(folder) ? readdirSync(folder) : []
    return files.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length))
  }
  return {
    list: () =>
      names()
        .map((name) => ({ name, bytes: statSync(fileOf(name)).size }))
        .sort(byName),
    find: (name) => (names().includes(name) ? readFileSync(fileOf(name)) : undefined),
    put(name, bytes) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(fileOf(name), bytes)
    },
    remove: (name) => rmSync(fileOf(name), { force: true }),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
