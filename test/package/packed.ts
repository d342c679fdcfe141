/** The result of `npm pack`, as a tarball and as installed. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/** The edition of better-sqlite3 that npm installs for the running Node. */
export const SQLITE = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

export interface Packed {
  tarball: string
  /** The paths in the tarball. */
  files: string[]
  remove(): void
}

export function pack(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-packed-'))
  // npm needs a writable folder, and would check for a newer npm in each new one.
  const options = ['--cache', join(folder, 'cache'), '--no-update-notifier']
  const output = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, ...options],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [{ filename, files }] = JSON.parse(output)
  return {
    tarball: join(folder, filename),
    files: files.map(({ path }: { path: string }) => path),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export interface Installed {
  /** An empty project that has installed the package. */
  project: string
  /** The paysim command of that installation. */
  command: string
  remove(): void
}

/**
 * Dependencies are linked from this checkout, because compiling SQLite takes a minute; testcontainers is linked for its entry.
 * The package comes from the tarball. Without one, the files listed in package.json are used, because npm takes two seconds to
 * pack them.
 */
export function install(tarball?: string): Installed {
  const project = mkdtempSync(join(tmpdir(), 'paysim-installed-'))
  const installed = join(project, 'node_modules/paysim')
  mkdirSync(installed, { recursive: true })
  if (tarball) execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  else
    for (const path of ['package.json', ...manifest.files.filter((path) => !path.startsWith('!'))])
      cpSync(join(root, path), join(installed, path), { recursive: true })
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    link(name === 'better-sqlite3' ? SQLITE : name, join(project, 'node_modules', name))
  link('testcontainers', join(project, 'node_modules/testcontainers'))
  return {
    project,
    command: join(installed, manifest.bin.paysim),
    remove: () => rmSync(project, { recursive: true }),
  }
}

function link(name: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), path)
}
