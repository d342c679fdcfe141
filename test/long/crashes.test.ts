/** An app that the gauntlet kills: the correct one survives, and each planted mistake is detected. */
import { expect, test } from 'vitest'
import { BUYER, programsWith, SERVER } from '../process/planted-bugs.ts'
import { runGauntlet } from './gauntlet-report.ts'

function reportOf(troubles: string, mistake?: string) {
  const app = `"${process.execPath}" ${SERVER}`
  return runGauntlet(['--only', troubles, '--app', app, '--jobs', '4'], BUYER, programsWith(mistake))
}

test('an app that stores keys and intents before it sends survives each crash', async () => {
  const { code, rows } = await reportOf('crash')
  expect(rows.map(({ name, verdict, reasons }) => [name, verdict, reasons])).toEqual([
    ['crash-after-commit', 'survived', []],
    ['crash-before-commit', 'survived', []],
    ['crash-in-webhook', 'survived', []],
  ])
  expect(rows.map(({ fired }) => fired).slice(0, 2)).toEqual([3, 3])
  expect(code).toBe(0)
})

/** For each mistake, the findings after one crash. */
const SHOWN: [mistake: string, trouble: string, verdict: string, reasons: RegExp][] = [
  [
    'key not stored',
    'crash-after-commit',
    'money wrong',
    /^order-1 was refunded twice, \$10\.00 too much: req_6 repeats req_5, whose answer was lost, under another key \(C2\)\.$/m,
  ],
  [
    'outbox row deleted first',
    'crash-before-commit',
    'failed loudly',
    /^order-1 is missing: charge 100\.00/m,
  ],
  [
    'webhook marked first',
    'crash-before-commit',
    'failed loudly',
    /^order-1 was not refunded \$10\.00: .* \(C6\)\.$/m,
  ],
  [
    'key for each webhook',
    'crash-after-commit',
    'money wrong',
    /^order-1 was refunded twice, \$10\.00 too much/m,
  ],
  [
    'key for each life',
    'crash-after-commit',
    'audit failed',
    /^C2: req_\d+ repeats req_\d+ \(checkouts\.create\)/m,
  ],
]

// Concurrent, because the runs mostly wait.
test('each planted mistake is detected by a crash', async () => {
  const found = await Promise.all(SHOWN.map(([mistake, trouble]) => reportOf(trouble, mistake)))
  for (const [index, [mistake, , verdict, reasons]] of SHOWN.entries()) {
    const { code, rows } = found[index]!
    expect([mistake, code, rows]).toMatchObject([mistake, 1, [{ verdict }]])
    expect(rows[0]!.reasons.join('\n')).toMatch(reasons)
  }
})
