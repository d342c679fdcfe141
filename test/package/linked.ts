/** Packages of this checkout in the node_modules of a test's project, without npm. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The edition of better-sqlite3 that npm installs for the running Node. */
const SQLITE = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

export function linkPackages(project: string, ...names: string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(homeOf(name), link)
  }
}

/** The folder of a package of this checkout. */
export function homeOf(name: string): string {
  if (name === 'paysim') return root
  const ours = join(root, 'node_modules', name === 'better-sqlite3' ? SQLITE : name)
  return existsSync(ours) ? ours : join(root, 'test/users/node_modules', name)
}
