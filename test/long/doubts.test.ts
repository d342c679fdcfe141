/** `--only doubts`: finds which of paysim's guesses about the service a program relies on. */
import { expect, test } from 'vitest'
import { spawnPaysim } from '../process/paysim.ts'
import { PROGRAMS, programsWith } from '../process/planted-bugs.ts'

const TRIED: [bug: string | undefined, doubts: string, conclusion: RegExp][] = [
  [
    'knows a checkout by chk_ and 24 characters',
    'doubts:D13:ids.length,doubts:D40:answers.created',
    /^Your tests rely on D13 \(Ids\): compare them with the real service by paysim fidelity --target URL\.$/m,
  ],
  [
    'takes 201 alone for created',
    'doubts:D13:ids.length,doubts:D40:answers.created',
    /^Your tests rely on D40 \([^)]+\): /m,
  ],
  ['has no default for a type of event', 'doubts:D30', /^Your tests rely on D30 \(Event types\): /m],
  ['knows all fields of a refund', 'doubts:D39:answers.fields.refund', /^Your tests rely on D39 \(/m],
  [
    undefined,
    'doubts:D13,doubts:D30,doubts:D39,doubts:D40',
    /^Your tests rely on none of these guesses about the service\.$/m,
  ],
]

// Concurrent, because the programs mostly wait.
test('each guess that a program relies on is found, and none that it does not', async () => {
  const found = await Promise.all(
    TRIED.map(([bug, doubts]) => {
      const command = ['gauntlet', '--only', doubts, '--no-confirm', '--', ...PROGRAMS['sale.mjs']]
      return spawnPaysim(command, {}, { cwd: programsWith(bug) }).exited
    }),
  )
  for (const [index, [bug, , conclusion]] of TRIED.entries()) {
    const { code, stdout, stderr } = found[index]!
    expect([bug, code, stderr]).toEqual([bug, bug === undefined ? 0 : 1, ''])
    expect(stdout).toMatch(conclusion)
    expect(stdout).not.toContain('file: ')
  }
})
