/**
 * Tests that make their own sandboxes run through the gauntlet unchanged: with Vitest in two processes, with `createSimulator` in a
 * process that closes nothing, and in the project of the README.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { linkPackages } from '../package/linked.ts'
import { install } from '../package/packed.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { runGauntlet } from './gauntlet-report.ts'

const ROOT = join(import.meta.dirname, '../..')
const SUITES = join(import.meta.dirname, '../suites')
const VITEST = [
  process.execPath,
  join(ROOT, 'node_modules/vitest/vitest.mjs'),
  ...['run', '--config', join(SUITES, 'vitest.config.mjs')],
]
const SIMULATOR = [process.execPath, join(SUITES, 'simulator.spec.mjs')]

const gauntlet = (command: readonly string[], troubles: string, environment = {}) =>
  runGauntlet(['--only', troubles], command, undefined, environment)

const verdictsOf = (rows: { name: string; verdict: string }[]) =>
  Object.fromEntries(rows.map(({ name, verdict }) => [name, verdict]))

describe('tests with useSandbox', () => {
  test('survive with a correct client, and a failure from their own trouble is reported but not counted', async () => {
    const { stdout, calm, rows } = await gauntlet(VITEST, 'internal-error-once,slow-before-once')
    // Two processes have four sandboxes, the gauntlet's simulator has one, and each has an order of the same name.
    expect(calm.orders).toHaveLength(5)
    expect(new Set(calm.orders.map(({ test }: { test: string }) => test)).size).toBe(5)
    expect(verdictsOf(rows)).toEqual({ 'internal-error-once': 'survived', 'slow-before-once': 'survived' })
    expect(stdout).toContain(
      '"orders.spec.mjs > a refund > is made once where its request is lost": not counted, as it makes trouble of its own beside this one: exit code 1',
    )
  })

  test('reveal a planted mistake, and the report names the test and the order', async () => {
    const { stdout, rows } = await gauntlet(VITEST, 'answer-lost:refund', { MISTAKE: 'new-key' })
    expect(verdictsOf(rows)).toEqual({ 'answer-lost:refund': 'money wrong' })
    expect(rows[0]!.reasons).toContainEqual(
      expect.stringMatching(
        /^"orders\.spec\.mjs > a refund > of a part": order-1 was refunded twice, \$25\.00 too much: req_\d repeats req_\d, whose answer was lost, under another key \(C2\)\.$/,
      ),
    )
    expect(rows[0]!.reasons).toContainEqual(expect.stringMatching(/^"time\.spec\.mjs > .*\$15\.00 too much/))
    // The test that arms its own trouble shows the mistake without any other.
    expect(stdout).toMatch(/\nWhat to fix:\nC2 in 1 run and in the baseline run, money wrong: /)
    expect(rows[0]!.journal.join('\n')).toContain('orders.spec.mjs > a refund > of a part\n')
  })

  test('are judged by exec as well', async () => {
    const { code, stdout } = await spawnPaysim(['exec', '--', ...VITEST]).exited
    expect(stdout).toContain('The command passed. 5 orders, 8 movements of money.')
    expect(stdout).toMatch(/^0 errors and 0 warnings in \d+ requests$/m)
    expect(code).toBe(0)
  })
})

test('the README test survives with the example client, through npm and the installed package', async () => {
  const { project, remove } = install()
  onTestFinished(remove)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, written] = /```js\n(\/\/ refund\.test\.js\n[\s\S]*?)```/.exec(readme)!
  const [, line] = /`npx (paysim gauntlet) -- npm test`/.exec(readme)!
  const settings = { type: 'module', scripts: { test: 'vitest run' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(settings))
  writeFileSync(join(project, 'refund.test.js'), written!)
  cpSync(join(ROOT, 'examples/shop/client.js'), join(project, 'client.js'))
  linkPackages(project, 'vitest')
  mkdirSync(join(project, 'node_modules/.bin'))
  symlinkSync('../paysim/dist/main.js', join(project, 'node_modules/.bin/paysim'))
  symlinkSync('../vitest/vitest.mjs', join(project, 'node_modules/.bin/vitest'))
  const command = `npx ${line} --only answer-lost-once,rate-limit-once -- npm test`
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: project })
  expect(stdout).toMatch(
    /^The baseline run passed in .*: 1 order, 2 movements of money\. Now with 2 troubles/m,
  )
  expect(stdout).toMatch(/^2 survived, in /m)
})

describe('sandboxes in the simulator of the gauntlet', () => {
  test('are used by paysim/testcontainers', async () => {
    const { calm, rows } = await gauntlet(
      [process.execPath, join(SUITES, 'container.spec.mjs')],
      'answer-lost:create',
    )
    expect(calm.orders).toHaveLength(2)
    expect(rows).toMatchObject([{ verdict: 'survived', fired: 2 }])
  })

  const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0
  test.runIf(hasPytest)('are used by pytest', async () => {
    const pytest = ['python3', '-m', 'pytest', '-p', 'no:cacheprovider', join(ROOT, 'examples/pytest')]
    const troubles = ['answer-lost:refund', 'in-flight-once', 'rate-limit-once']
    const { calm, rows } = await gauntlet(pytest, troubles.join(), { PYTHONDONTWRITEBYTECODE: '1' })
    expect(calm.orders).toHaveLength(2)
    expect(verdictsOf(rows)).toEqual(Object.fromEntries(troubles.map((name) => [name, 'survived'])))
  })
})

describe('tests with createSimulator', () => {
  test('survive, and a mistake is detected', async () => {
    const sound = await gauntlet(SIMULATOR, 'answer-lost:refund,webhook-late')
    expect(sound.calm.orders).toHaveLength(2)
    expect(verdictsOf(sound.rows)).toEqual({
      'answer-lost:refund': 'survived',
      'webhook-late': 'not exercised',
    })
    const { rows } = await gauntlet(SIMULATOR, 'answer-lost:refund', { MISTAKE: 'new-key' })
    expect(rows[0]!.reasons).toContainEqual(
      expect.stringMatching(/^order-1 was refunded twice, \$25\.00 too much: .*\(C2\)\.$/),
    )
  })

  test('fail if they are killed, because the money they moved is unknown', async () => {
    const shell = ['sh', '-c', `"$0" "$1" || true`, ...SIMULATOR]
    const { rows } = await gauntlet(shell, 'refund-immediate', { DIES: '1' })
    expect(rows).toMatchObject([
      {
        verdict: 'not judged',
        reasons: [expect.stringMatching(/by themselves: 2 sandboxes of the tests ended with the process/)],
      },
    ])
  })
})
