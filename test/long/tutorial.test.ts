/** The tutorial as one session: the bug that it writes is found, reported as it says, and fixed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf } from '../documents/blocks.ts'
import { install } from '../package/packed.ts'

const root = join(import.meta.dirname, '../..')
const PAGE = 'docs/tutorial.md'

test('the test fails as the page says, and passes with the fix', () => {
  const { project, remove } = install()
  onTestFinished(remove)
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(join(root, 'node_modules/vitest'), join(project, 'node_modules/vitest'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')

  const [bug, tests, fix] = blocksOf(PAGE).filter(({ language }) => language === 'js')
  const write = (block: typeof bug) => writeFileSync(join(project, block!.file!), block!.code)
  const runTests = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run'],
      { cwd: project, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    )
    return { status, said: stdout + stderr }
  }

  write(bug)
  write(tests)
  const found = runTests()
  expect(found.status).toBe(1)
  const quoted = readFileSync(join(root, PAGE), 'utf8').match(/^> .*$/gm)!
  for (const line of quoted) expect(found.said).toContain(line.slice(2))

  write(fix)
  const fixed = runTests()
  expect(fixed.said).toContain('1 passed')
  expect(fixed.status).toBe(0)
})
