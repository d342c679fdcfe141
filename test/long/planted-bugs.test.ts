/**
 * The gauntlet with small shops in Node, Python and bash: each planted mistake is reported with its rule, order and amount.
 * `test/long/programs.test.ts` runs all troubles with the correct shops.
 */
import { expect, test } from 'vitest'
import { spawnPaysim } from '../process/paysim.ts'
import { BUGS, PROGRAMS, type ProgramName, programsWith } from '../process/planted-bugs.ts'
import { runGauntlet } from './gauntlet-report.ts'

async function reportOf(program: ProgramName, troubles: string, mistake?: string) {
  const flags = ['--only', troubles, '--jobs', '4']
  const { rows } = await runGauntlet(flags, PROGRAMS[program], programsWith(mistake))
  return rows.map(({ name, verdict, reasons, audit }) => ({
    name,
    verdict,
    /** The reasons of the verdict, then each finding, because warnings are not among the reasons. */
    said: [...reasons, ...audit.map(({ rule, what }) => `${rule}: ${what}`)].join('\n'),
  }))
}

/** For each mistake, the findings under one trouble. */
const SHOWN: Record<string, [trouble: string, verdict: string, reasons: RegExp]> = {
  'no key': [
    'answer-lost:refund',
    'money wrong',
    /^order-1 was refunded twice, \$20\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, without a key \(C1\)\.\n/,
  ],
  '409 as success': [
    'in-flight-once',
    'failed loudly',
    /^exit code 1: Error: Refund not found\n(.*\n)*C7: req_1 \(checkouts\.create\) was answered 409 while the first request was in flight/,
  ],
  'repeats a refusal under its key': [
    'refusal-kept:refund',
    'failed loudly',
    / req_\d+ \(checkouts\.refund\) was refused with 409, and its key keeps the refusal: \d+ retries under that key got it again/,
  ],
  'gives up at 429': ['rate-limit-once', 'failed loudly', /^exit code 1/],
  'key for each attempt': [
    'answer-lost:refund',
    'money wrong',
    /^order-1 was refunded twice, \$15\.50 too much: req_\d+ repeats req_\d+, whose answer was lost, under another key \(C2\)\.\n/,
  ],
  'key for each process start': [
    'answer-lost:refund',
    'money wrong',
    /^order-1 was refunded twice, \$40\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, under another key \(C2\)\.\n/,
  ],
}

// Concurrent, because the programs mostly wait.
test('each planted mistake is detected', async () => {
  const shown = Object.entries(SHOWN)
  const found = await Promise.all(
    shown.map(([mistake, [trouble]]) => reportOf(BUGS[mistake]!.file as ProgramName, trouble, mistake)),
  )
  for (const [index, [mistake, [trouble, verdict, reasons]]] of shown.entries()) {
    const [row] = found[index]!
    expect([mistake, row!.name, row!.verdict]).toEqual([mistake, trouble, verdict])
    expect(row!.said, mistake).toMatch(reasons)
  }
})

test('float amounts fail without any trouble, and exec reports the cause', async () => {
  const cwd = programsWith('float amounts')
  const { code, stdout } = await spawnPaysim(['exec', '--', ...PROGRAMS['sale.py']], {}, { cwd }).exited
  expect(stdout).toContain('error C17: An amount has more than two decimals')
  expect(stdout).toContain('An amount such as 0.30000000000000004 was sent 1 time')
  expect(code).toBe(1)
})
