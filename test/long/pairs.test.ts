/** Bugs that need two failures: no single failure shows them, and `--depth 2` tries the pairs that do. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { comparable, PROGRAMS, programsWith } from '../process/planted-bugs.ts'
import { runGauntlet } from './gauntlet-report.ts'

const reportOf = (only: string, mistake: string | undefined, ...more: string[]) =>
  runGauntlet(['--only', only, ...more], PROGRAMS['sale.mjs'], programsWith(mistake))

/** The output shown in the documentation. */
const [, DOCUMENTED = ''] = /```text\n(Now with \d+ pairs[^`]*)```/.exec(
  readFileSync('docs/gauntlet.md', 'utf8'),
)!

const LOST = 'answer-lost-once,request-lost-once'
const CONFLICT = 'request-lost-once,in-flight-once'

const TWICE =
  /^order-1 was refunded twice, \$20\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, under another key \(C2\)\.$/m

test.for([
  ['rotates the key at the third try', 'answer-lost@checkouts.refund+answer-lost@checkouts.refund#2'],
  [
    'reads the state once, before the second attempt',
    'request-lost@checkouts.refund+answer-lost@checkouts.refund:2',
  ],
] as const)('%s is detected by a pair that the search finds', async ([mistake, pair]) => {
  const { code, stdout, rows } = await reportOf(LOST, mistake, '--depth', '2')
  expect(rows.slice(0, 2)).toMatchObject([{ verdict: 'survived' }, { verdict: 'survived' }])
  const row = rows.find(({ name }) => name === pair)
  expect(row).toMatchObject({ verdict: 'money wrong' })
  expect(row!.reasons.join('\n')).toMatch(TWICE)
  expect(stdout).toMatch(/^ +The same(, as [^ ]+,)? in \d+ of 10 more runs\.$/m)
  expect(stdout).toMatch(/^Pairs of failures: (\d+) of \1 tried\b/m)
  expect(code).toBe(1)

  if (mistake !== 'rotates the key at the third try') return
  const shown = comparable(stdout).split('\n')
  for (const line of comparable(DOCUMENTED).trimEnd().split('\n')) expect(shown).toContain(line)
})

const DROPPED = 'request-lost@checkouts.refund+request-lost@checkouts.refund#2'
const REFUSED = 'request-lost@checkouts.confirm+in-flight@checkouts.confirm#2'

test('a correct program survives each pair that the search finds', async () => {
  const all = await reportOf(CONFLICT, undefined, '--depth', '2')
  expect(all.rows.filter(({ verdict }) => verdict !== 'survived')).toEqual([])
  expect(all.rows.map(({ name }) => name)).toEqual(expect.arrayContaining([DROPPED, REFUSED]))
  const [, count] = /^Now with (\d+) pairs of failures, those during a recovery first\.$/m.exec(all.stdout)!
  expect(all.stdout).toContain(`\nPairs of failures: ${count} of ${count} tried.\n`)
  expect(Number(count)).toBe(all.rows.length - 2)
  expect(all.code).toBe(0)
})

test.for([
  ['drops the refund at the second failure', DROPPED, 'money wrong', /^order-1 was not refunded \$20\.00/m],
  ['takes the second 409 as success', REFUSED, 'failed loudly', /^order-1 is missing|was not/m],
] as const)(
  '%s is detected by a pair by name, and by no single failure',
  async ([mistake, pair, ...found]) => {
    const { rows } = await reportOf(`${CONFLICT},${pair}`, mistake)
    const [verdict, reason] = found
    expect(rows).toMatchObject([{ verdict: 'survived' }, { verdict: 'survived' }, { name: pair, verdict }])
    expect(rows[2]!.reasons.join('\n')).toMatch(reason)
  },
)
