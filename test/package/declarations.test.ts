import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

// A project that has installed us, and so nothing but our dependencies. A type of another package that slips into a
// public signature is an error here, where it is an `any` with the usual skipLibCheck.
test('the declarations are complete for somebody who has only our dependencies', () => {
  const project = mkdtempSync(join(tmpdir(), 'paysim-declarations-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  for (const path of ['dist', 'package.json']) {
    cpSync(join(root, path), join(project, 'node_modules/paysim', path), { recursive: true })
  }
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))
  writeFileSync(
    join(project, 'all.mts'),
    entries.map((entry, n) => `export * as entry${n} from 'paysim${entry.slice(1)}'\n`).join(''),
  )
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']

  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, 'all.mts'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
})
