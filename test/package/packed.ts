/** The result of `npm pack`, as a tarball and as installed. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { linkPackages } from './linked.ts'

const root = join(import.meta.dirname, '../..')

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
  linkPackages(project, ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
  linkPackages(project, 'testcontainers')
  return {
    project,
    command: join(installed, manifest.bin.paysim),
    remove: () => rmSync(project, { recursive: true }),
  }
}
