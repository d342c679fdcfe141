/** Thirty Vitest files, with and without paysim: the cost of an import in each file, and the cost of a sandbox. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cost } from './measure.ts'
import { DIST } from './server.ts'

const FILES = 30
const ROOT = join(DIST, '..')

const withSandbox = (tests: number) => `import { useSandbox } from 'paysim/vitest'
const sandbox = useSandbox()
for (let n = 0; n < ${tests}; n++) test('t' + n, () => void sandbox.apiKey)`

const CODE = {
  bare: "test('t', () => {})",
  importing: "import { createSimulator } from 'paysim'\ntest('t', () => void createSimulator)",
  sandbox: withSandbox(1),
  sandboxes: withSandbox(20),
}
export type Kind = keyof typeof CODE

/** A project with these test files. It contains a copy of the package, because Vitest would compile a linked one like project code. */
export function startProject(kind: Kind, dist: string) {
  const project = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
  const packages = join(project, 'node_modules')
  mkdirSync(join(packages, 'paysim'), { recursive: true })
  cpSync(dist, join(packages, 'paysim/dist'), { recursive: true })
  for (const path of ['package.json', 'fixtures'])
    cpSync(join(dist, '..', path), join(packages, 'paysim', path), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'paysim') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  for (let n = 0; n < FILES; n++)
    writeFileSync(join(project, `${n}.test.js`), `import { test } from 'vitest'\n${CODE[kind]}\n`)
  return { folder: project, run: () => runTests(project), remove: () => rmSync(project, { recursive: true }) }
}

/** Bash counts the CPU time of a command with all its children. */
function runTests(cwd: string): Cost {
  const line = 'TIMEFORMAT="%R %U %S"; time "$0" node_modules/vitest/vitest.mjs run --root . >&2'
  const { stderr, status } = spawnSync('bash', ['-c', line, process.execPath], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const [real, user, system] = stderr
    .trim()
    .split('\n')
    .at(-1)!
    .split(' ')
    .map((seconds) => Number(seconds) * 1000)
  return { ms: real!, cpuMs: user! + system! }
}
