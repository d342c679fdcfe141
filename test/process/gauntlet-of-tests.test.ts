/**
 * Tests with sandboxes of their own run through the gauntlet unchanged: with Vitest in two processes, with `createSimulator` in a
 * process that closes nothing, and in README's own project.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from './folder.ts'
import { spawnPaysim } from './paysim.ts'

const SUITES = join(import.meta.dirname, '../suites')
const VITEST = [
  process.execPath,
  join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs'),
  ...['run', '--config', join(SUITES, 'vitest.config.mjs')],
]
const SIMULATOR = [process.execPath, join(SUITES, 'simulator.spec.mjs')]

async function gauntlet(
  command: readonly string[],
  troubles: string,
  environment: Record<string, string> = {},
) {
  const report = join(folder(), 'report.json')
  const flags = ['--only', troubles, '--report', `json=${report}`]
  const { stdout, stderr } = await spawnPaysim(['gauntlet', ...flags, '--', ...command], environment).exited
  expect(stderr).toBe('')
  const { calm, troubles: rows } = JSON.parse(readFileSync(report, 'utf8'))
  return { stdout, calm, rows }
}

const verdictsOf = (rows: { name: string; verdict: string }[]) =>
  Object.fromEntries(rows.map(({ name, verdict }) => [name, verdict]))

describe('tests with useSandbox', () => {
  test('survive with a client that does all right; what their own trouble spoils is told and not counted', async () => {
    const { stdout, calm, rows } = await gauntlet(VITEST, 'internal-error-once,slow-before-once')
    // Two processes, four sandboxes in them and one in the gauntlet's simulator, each with an order of the same name.
    expect(calm.orders).toHaveLength(5)
    expect(new Set(calm.orders.map(({ test }: { test: string }) => test)).size).toBe(5)
    expect(verdictsOf(rows)).toEqual({ 'internal-error-once': 'survived', 'slow-before-once': 'survived' })
    expect(stdout).toContain(
      '"orders.spec.mjs > a refund > is made once where its request is lost": not counted, as it makes trouble of its own beside this one: exit code 1',
    )
  })

  test('find a planted mistake, and say in which test and order', async () => {
    const { stdout, rows } = await gauntlet(VITEST, 'answer-lost:refund', { MISTAKE: 'new-key' })
    expect(verdictsOf(rows)).toEqual({ 'answer-lost:refund': 'money wrong' })
    expect(rows[0].reasons).toContainEqual(
      expect.stringMatching(
        /^"orders\.spec\.mjs > a refund > of a part": order-1 was refunded twice, \$25\.00 too much: req_\d repeats req_\d, whose answer was lost, under another key \(C2\)\.$/,
      ),
    )
    expect(rows[0].reasons).toContainEqual(expect.stringMatching(/^"time\.spec\.mjs > .*\$15\.00 too much/))
    // The test that makes trouble of its own shows it without any other.
    expect(stdout).toMatch(/\nWhat to mend:\nC2 in 1 run and in calm, money wrong: /)
    expect(rows[0].journal.join('\n')).toContain('orders.spec.mjs > a refund > of a part\n')
  })

  test('are judged by exec as well', async () => {
    const { code, stdout } = await spawnPaysim(['exec', '--', ...VITEST]).exited
    expect(stdout).toContain('The command passed. 5 orders, 8 movements of money.')
    expect(stdout).toMatch(/^0 errors and 0 warnings in \d+ requests$/m)
    expect(code).toBe(0)
  })
})

describe('tests with createSimulator', () => {
  test('survive, and a mistake is found', async () => {
    const sound = await gauntlet(SIMULATOR, 'answer-lost:refund,webhook-late')
    expect(sound.calm.orders).toHaveLength(2)
    expect(verdictsOf(sound.rows)).toEqual({
      'answer-lost:refund': 'survived',
      'webhook-late': 'not exercised',
    })
    const { rows } = await gauntlet(SIMULATOR, 'answer-lost:refund', { MISTAKE: 'new-key' })
    expect(rows[0].reasons).toContainEqual(
      expect.stringMatching(/^order-1 was refunded twice, \$25\.00 too much: .*\(C2\)\.$/),
    )
  })

  test('that are killed count as failed, as nothing is known of what moved there', async () => {
    const shell = ['sh', '-c', `"$0" "$1" || true`, ...SIMULATOR]
    const { rows } = await gauntlet(shell, 'refund-immediate', { DIES: '1' })
    expect(rows).toMatchObject([
      {
        verdict: 'not judged',
        reasons: [expect.stringMatching(/^2 sandboxes of the tests ended with the process/)],
      },
    ])
  })
})
