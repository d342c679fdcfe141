/** `paysim run` and `paysim lint` as processes, with the target paysim in this process. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { runPaysim, servedPaysim, spawnPaysim } from './paysim.ts'

const STORY = ['scenarios/answer-lost.yaml', 'scenarios/first-refund.yaml']

const paysim = (...args: string[]) => runPaysim(args)

test('runs without a target, with reports', async () => {
  const [file, page] = [join(folder(), 'of=1.xml'), join(folder(), 'report.html')]
  const reports = ['--report', `junit=${file}`, '--report', `html=${page}`]
  const { code, stdout, stderr } = await paysim('run', ...STORY, ...reports)
  // stderr is not a terminal, so there is no progress line.
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('2 passed')
  expect(readFileSync(file, 'utf8')).toContain('failures="0"')
  expect(readFileSync(page, 'utf8')).toContain('<h1>2 passed</h1>')
})

test('runs with a target: without an API key, with one, and with --compare', async () => {
  const { url } = await servedPaysim({ refundDelay: '200ms' })
  const key = 'sk_staging_default'
  const [tester, platform, both] = await Promise.all([
    paysim('run', ...STORY, '--target', url),
    paysim('run', ...STORY, '--target', url, '--api-key', key),
    paysim('run', ...STORY, '--target', url, '--compare'),
  ])
  expect([tester.code, platform.code, both.code]).toEqual([0, 0, 0])
  expect(tester.stdout).toContain('2 passed')
  expect(platform.stdout).toMatch(/1 passed \(\d of \d+ steps were skipped\), 1 skipped/)
  expect(platform.stdout).toContain('sim advance 1m: skipped, as only a tester can do that')
  expect(platform.stdout).not.toContain(key)
  expect(both.stdout).toContain('alike; 0 differences')
})

test('exits with 1 if a step fails, and with 2 if a file cannot be read', async () => {
  const path = folder()
  writeFileSync(
    join(path, 'wrong.yaml'),
    'name: n\nsteps: [{ call: GET /v1/checkouts, expect: { status: 404 } }]\n',
  )
  const wrong = await paysim('run', path)
  expect(wrong.code).toBe(1)
  expect(wrong.stdout).toContain('status: expected 404, received 200')

  writeFileSync(join(path, 'typo.yaml'), 'name: n\nsteps: [{ cal: GET /v1/checkouts }]\n')
  const sentence = `${join(path, 'typo.yaml')}:2:11: steps[0].cal is unknown; did you mean call?\n`
  const both = await paysim('run', path)
  expect(both).toMatchObject({ code: 2, stderr: sentence })
  expect(both.stdout).toContain('status: expected 404, received 200')
  expect(await paysim('lint', path)).toMatchObject({
    code: 2,
    stdout: '1 mistake in 1 file\n',
    stderr: sentence,
  })
  expect(await paysim('lint')).toMatchObject({ code: 0, stderr: '' })
})

test('an interrupted run leaves no sandbox at the target', async () => {
  const { url, call } = await servedPaysim()
  const file = join(folder(), 'held.yaml')
  writeFileSync(
    file,
    'name: It waits\nsteps:\n  - { call: GET /v1/customers, header: { x-sim: hold=gate } }\n',
  )
  const { child, exited } = spawnPaysim(['run', file, '--target', url])
  const names = async (): Promise<string[]> =>
    (await call('GET', '/_sim/sandboxes')).body.data.map(({ name }: { name: string }) => name)
  while ((await names()).length < 2) await new Promise(setImmediate)
  const [, name] = await names()
  expect((await call('GET', `/_sim/sandboxes/${name}/gates/gate?within=15s`)).status).toBe(200)
  child.kill('SIGINT')
  expect(await exited).toMatchObject({ code: null, signal: 'SIGINT' })
  expect(await names()).toEqual(['default'])
})
