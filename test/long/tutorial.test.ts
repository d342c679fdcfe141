/** All blocks of the tutorial as one session: the bug is found and reported as on the page, then fixed; curl and the scenario work. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf } from '../documents/blocks.ts'
import { DEFAULT_ADDRESS, serve } from '../documents/stage.ts'
import { linkPackages } from '../package/linked.ts'
import { install } from '../package/packed.ts'
import { spawnPaysim } from '../process/paysim.ts'

const root = join(import.meta.dirname, '../..')
const PAGE = 'docs/tutorial.md'

test('the test fails as shown on the page and passes with the fix, and the other blocks print the output shown', async () => {
  const { project, command, remove } = install()
  onTestFinished(remove)
  linkPackages(project, 'vitest')
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')

  const blocks = blocksOf(PAGE)
  const [bug, tests, fix] = blocks.filter(({ language }) => language === 'js')
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

  const url = await serve()
  const curl = blocks.find(({ code }) => code.includes('curl'))!.code.replaceAll(DEFAULT_ADDRESS, url)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', curl])
  for (const said of ['"status":"confirmed"', 'idempotent-replayed: true', '"status":"completed"'])
    expect(stdout).toContain(said)
  expect(await (await fetch(`${url}/_sim/audit`)).json()).toMatchObject({ findings: [] })

  const scenario = blocks.find(({ language }) => language === 'yaml')!
  write(scenario)
  const played = await spawnPaysim(['run', scenario.file!], {}, { command, cwd: project }).exited
  expect([played.code, played.stdout]).toEqual([0, expect.stringContaining('1 passed')])
})
