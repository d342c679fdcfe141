/** `paysim fidelity`: how faithful paysim is to a real service. It plays the tour at both, compares, and writes what it learned. */
import { writeFile } from 'node:fs/promises'
import { counted } from '../../spec/contract/counted.ts'
import { changedKeys, type ProfileChanges } from '../../spec/contract/profile.ts'
import { Secrets } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import { startOwn } from '../compose-server.ts'
import { changedSince, fidelityReport, fidelityText, neverLearned } from '../learn/fidelity.ts'
import type { Resolved } from '../options/commands.ts'
import { compareAll } from '../player/compare-files.ts'
import { groupLines } from '../player/difference-groups.ts'
import { type PlayOptions, readFiles } from '../player/options.ts'
import type { PlayIo } from '../player/run-setup.ts'
import { Lessons, learnedText } from './lessons.ts'
import { readProfile } from './profile.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { annotation, progress, terminal } from './terminal.ts'

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
  const secrets = new Secrets()
  secrets.add(options.apiKey)
  secrets.add(options.adminToken)
  const hide = (text: string) => secrets.hide(text)
  terminal.out(`The tour is played at ${options.target}, and here.`)
  const play: PlayOptions = {
    ...options,
    paths: scenarioPaths('fidelity', { scenarios: [], bundled: true }),
    tags: ['tour'],
    reports: [],
    patience: patience === undefined ? undefined : { within: patience },
  }
  const { apiKey, adminToken } = options
  const target = { base: new URL(options.target), apiKey, adminToken }
  const io: PlayIo = {
    // Prints nothing here: the result is printed once, at the end.
    out() {},
    err: terminal.err,
    progress,
    color: false,
    env: process.env,
    startOwn,
    lessons,
    learnsProfile: true,
  }
  const compared = await compareAll(
    { ...(await readFiles(play)), target, options: play, io, secrets },
    target,
  )
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
  await writeReport(fidelityReport(found), { files: reports, env: process.env, annotate: annotation, hide })
  terminal.out(hide(fidelityText(found)))
  const unexplained = compared.groups.some(({ mendedBy }) => mendedBy === null)
  const failed = compared.files.some((file) => file.failed !== undefined || file.skipped !== undefined)
  process.exitCode = unexplained || failed || (changes ?? []).length > 0 ? 1 : 0
}
