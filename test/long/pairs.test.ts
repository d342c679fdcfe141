/** Bugs that need two failures: no single failure shows them, and `--depth 2` detects each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { comparable, PROGRAMS, programsWith } from '../process/planted-bugs.ts'

interface Row {
  name: string
  verdict: string
  reasons: string[]
  notes: string[]
}

async function reportOf(only: string, mistake: string | undefined, ...more: string[]) {
  const report = join(folder(), 'report.json')
  const flags = ['--only', only, '--report', `json=${report}`, ...more]
  const command = ['gauntlet', ...flags, '--', ...PROGRAMS['sale.mjs']]
  const { code, stdout, stderr } = await spawnPaysim(command, {}, { cwd: programsWith(mistake) }).exited
  expect(stderr).toBe('')
  const rows: Row[] = JSON.parse(readFileSync(report, 'utf8')).troubles
  return { code, stdout, rows }
}

/** The output shown in the documentation. */
const [, DOCUMENTED = ''] = /```text\n(Now with \d+ pairs[^`]*)```/.exec(
  readFileSync('docs/gauntlet.md', 'utf8'),
)!

const LOST = 'answer-lost-once,request-lost-once'

/** For each mistake, the first pair that shows it. */
const SHOWN: [mistake: string, singles: string, pair: string, verdict: string, reason: RegExp][] = [
  [
    'rotates the key at the third try',
    LOST,
    'answer-lost@checkouts.refund+answer-lost@checkouts.refund#2',
    'money wrong',
    /^order-1 was refunded twice, \$20\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, under another key \(C2\)\.$/m,
  ],
  [
    'drops the refund at the second failure',
    LOST,
    'request-lost@checkouts.refund+request-lost@checkouts.refund#2',
    'money wrong',
    /^order-1 was not refunded \$20\.00/m,
  ],
  [
    'takes the second 409 as success',
    'request-lost-once,in-flight-once',
    'request-lost@checkouts.confirm+in-flight@checkouts.confirm#2',
    'failed loudly',
    /^order-1 is missing|was not/m,
  ],
  [
    'reads the state once, before the second attempt',
    LOST,
    'request-lost@checkouts.refund+answer-lost@checkouts.refund:2',
    'money wrong',
    /^order-1 was refunded twice, \$20\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, under another key \(C2\)\.$/m,
  ],
]

test.for(SHOWN)(
  '%s is detected by a pair, and by no single failure',
  async ([mistake, singles, pair, verdict, reason]) => {
    const { code, stdout, rows } = await reportOf(singles, mistake, '--depth', '2')
    const alone = rows.filter(({ name }) => singles.split(',').includes(name))
    expect(alone.map((row) => row.verdict)).toEqual(['survived', 'survived'])
    const row = rows.find(({ name }) => name === pair)
    expect(row).toMatchObject({ verdict })
    expect(row!.reasons.join('\n')).toMatch(reason)
    expect(stdout).toMatch(/^ +The same(, as [^ ]+,)? in \d+ of 10 more runs\.$/m)
    expect(stdout).toMatch(/^Pairs of failures: (\d+) of \1 tried\b/m)
    expect(code).toBe(1)

    if (mistake === 'rotates the key at the third try') {
      const shown = comparable(stdout).split('\n')
      for (const line of comparable(DOCUMENTED).trimEnd().split('\n')) expect(shown).toContain(line)
    }

    // Run the pair by name, without the search.
    const again = await reportOf(pair, mistake)
    expect(again.rows).toMatchObject([{ name: pair, verdict }])
  },
)

test('a correct program survives each pair', async () => {
  const all = await reportOf(LOST, undefined, '--depth', '2')
  expect(all.rows.filter(({ verdict }) => verdict !== 'survived')).toEqual([])
  expect(all.stdout).toMatch(/^Now with 24 pairs of failures, those during a recovery first\.$/m)
  expect(all.stdout).toMatch(/^Pairs of failures: 24 of 24 tried\.$/m)
  expect(all.code).toBe(0)
})
