/** `paysim fidelity`: how faithful paysim is to a real service. It plays the tour at both, compares, and writes what it learned. */
import { writeFile } from 'node:fs/promises'
import { counted } from '../../spec/contract/counted.ts'
import { changedKeys, type ProfileChanges } from '../../spec/contract/profile.ts'
import type { Resolved } from '../../spec/options/commands.ts'
import { Secrets } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import { startOwn } from '../compose-server.ts'
import { changedSince, fidelityReport, fidelityText, neverLearned } from '../learn/fidelity.ts'
import { playCommand } from '../player/command.ts'
import type { FileDifferences } from '../player/compare-sides.ts'
import { type DifferenceGroup, groupLines } from '../player/difference-groups.ts'
import { Lessons, learnedText } from './lessons.ts'
import { readProfile } from './profile.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { progress, terminal } from './terminal.ts'

export async function fidelity({
  out,
  since,
  reports,
  patience,
  ...options
}: Resolved<'fidelity'>): Promise<void> {
  // Read first, so that a mistake in it is reported before the tour is played.
  const earlier: ProfileChanges | undefined = since === undefined ? undefined : await readProfile(since)
  const startedAt = wallClock()
  const lessons = new Lessons(out)
  let compared: { files: readonly FileDifferences[]; groups: readonly DifferenceGroup[] } | undefined
  terminal.out(`The tour is played at ${options.target}, and here.`)
  const code = await playCommand(
    {
      ...options,
      paths: scenarioPaths('fidelity', { scenarios: [], bundled: true }),
      tags: ['tour'],
      compare: true,
      patience: patience === undefined ? undefined : { within: patience },
      reports: [],
    },
    {
      // Prints nothing here: the result is printed once, at the end.
      out() {},
      err: terminal.err,
      progress,
      color: false,
      env: process.env,
      startOwn,
      hearWebhooks: true,
      mendingKey: () => lessons.mendingKey(),
      learnWords: (scenario, ours) => lessons.wordsFor(scenario, ours),
      compared: (scenario, ours, theirs) => lessons.addPlayed(scenario, ours, theirs),
      comparedAll(all) {
        compared = all
      },
    },
  )
  if (compared === undefined) {
    process.exitCode = code
    return
  }
  const secrets = new Secrets()
  secrets.add(options.apiKey)
  secrets.add(options.adminToken)
  const hide = (text: string) => secrets.hide(text)
  const learned = lessons.learned()
  const changes = earlier && changedSince(changedKeys(earlier), learned)
  const found = { target: options.target, ...compared, learned, changes, since, startedAt }
  for (const line of groupLines(compared.groups)) terminal.out(hide(line))
  for (const remark of learned.remarks) terminal.out(hide(`  ${remark}`))
  terminal.out(neverLearned())
  if (changes) {
    terminal.out(changes.length === 0 ? `Nothing has changed since ${since}.` : `Since ${since}:`)
    for (const change of changes) terminal.out(hide(`  ${change}`))
  }
  await writeFile(out, hide(learnedText(learned)))
  terminal.out(`${out} has ${counted(learned.keys.length, 'key')}: paysim start --profile ${out}`)
  await writeReport(fidelityReport(found), { files: reports, env: process.env, out: terminal.out, hide })
  terminal.out(hide(fidelityText(found)))
  const unexplained = compared.groups.some(({ mendedBy }) => mendedBy === null)
  const failed = compared.files.some((file) => file.failed !== undefined || file.skipped !== undefined)
  process.exitCode = unexplained || failed || (changes ?? []).length > 0 ? 1 : 0
}
