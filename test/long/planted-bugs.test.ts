/**
 * The gauntlet and small shops in Node, Python and bash: no false alarm for those that do all right, and each planted mistake
 * is told by its rule, its order and its amount. `test/long/programs.test.ts` plays all troubles.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../process/folder.ts'
import { spawnPaysim } from '../process/paysim.ts'
import {
  MISTAKES,
  type MistakeName,
  PROGRAMS,
  type ProgramName,
  programsWith,
} from '../process/planted-bugs.ts'

async function told(program: ProgramName, troubles: string, mistake?: MistakeName) {
  const report = join(folder(), 'report.json')
  const flags = ['--only', troubles, '--jobs', '4', '--report', `json=${report}`]
  const { stderr } = await spawnPaysim(
    ['gauntlet', ...flags, '--', ...PROGRAMS[program]],
    {},
    { cwd: programsWith(mistake) },
  ).exited
  expect(stderr).toBe('')
  const rows: {
    name: string
    verdict: string
    reasons: string[]
    conduct: { rule: string; what: string }[]
  }[] = JSON.parse(readFileSync(report, 'utf8')).troubles
  return rows.map(({ name, verdict, reasons, conduct }) => ({
    name,
    verdict,
    /** Why, and then each finding, of which a warning is no reason. */
    said: [...reasons, ...conduct.map(({ rule, what }) => `${rule}: ${what}`)].join('\n'),
  }))
}

test.for(Object.keys(PROGRAMS) as ProgramName[])(
  '%s does all right, and nothing is held against it',
  async (program) => {
    const troubles = ['answer-lost:refund', 'in-flight-once', 'rate-limit-once', 'refund-immediate']
    const rows = await told(program, troubles.join())
    expect(rows).toEqual(troubles.map((name) => ({ name, verdict: 'survived', said: '' })))
  },
)

/** What one trouble shows of each mistake. */
const SHOWN: Partial<Record<MistakeName, [trouble: string, verdict: string, reasons: RegExp]>> = {
  'no key': [
    'answer-lost:refund',
    'money wrong',
    /^order-1 was refunded twice, \$20\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, without a key \(C1\)\.\n/,
  ],
  '409 as success': [
    'in-flight-once',
    'failed loudly',
    /^exit code 1\n(.*\n)*C7: req_1 \(checkouts\.create\) was answered 409 while the first request was under way/,
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

test.for(Object.entries(SHOWN) as [MistakeName, NonNullable<(typeof SHOWN)[MistakeName]>][])(
  'a planted mistake is found: %s',
  async ([mistake, [trouble, verdict, reasons]]) => {
    const [row] = await told(MISTAKES[mistake].file, trouble, mistake)
    expect([row!.name, row!.verdict]).toEqual([trouble, verdict])
    expect(row!.said).toMatch(reasons)
  },
)

test('float amounts fail without any trouble, and exec says why', async () => {
  const cwd = programsWith('float amounts')
  const { code, stdout } = await spawnPaysim(['exec', '--', ...PROGRAMS['sale.py']], {}, { cwd }).exited
  expect(stdout).toContain('error C17: An amount has more than two decimals')
  expect(stdout).toContain('An amount such as 0.30000000000000004 was sent 1 time')
  expect(code).toBe(1)
})
