/** `paysim exec`: runs the tests once, without trouble, and judges the conduct of their client. */
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { typedCommand, typedWords } from '../../spec/typed.ts'
import type { Conduct, Finding } from '../../tester/conduct/judge.ts'
import { groupBy } from '../../tester/conduct/picture.ts'
import { conductText } from '../../tester/conduct/show.ts'
import { QUICK_TROUBLES, type Resolved } from '../options/commands.ts'
import { CATALOG } from './catalog.ts'
import { type GauntletExit, type GauntletIo, INTERRUPTED, NOT_STARTED, OUTPUT_FOLDER } from './command.ts'
import { FIRST_RUN_LIMIT_MS } from './runner.ts'
import { movedText, SENT_NOTHING } from './show.ts'
import { runSuite } from './suite.ts'
import { conductOfAll, moneyOfAll } from './together.ts'

export type ExecIo = Omit<GauntletIo, 'progress' | 'page'> & {
  /** Writes the reports that were asked for. */
  report(conduct: Conduct, ran: { ended: string; moved: string }): Promise<void>
}

/** Fails if the command fails, or if conduct has an error. */
export async function execCommand(options: Resolved<'exec'>, io: ExecIo): Promise<GauntletExit> {
  const { command, limit = FIRST_RUN_LIMIT_MS } = options
  const { env, stopped, startSimulator } = io
  const folder = join(mkdtempSync(join(tmpdir(), OUTPUT_FOLDER)), 'run')
  const setup = { ...options, env, startSimulator, stopped }
  const ran = await runSuite(setup, { name: 'calm', behaviors: [], folder, limitMs: () => limit })
  const { child, close, ours, theirs } = ran
  try {
    if (stopped.aborted) return INTERRUPTED
    const all = [...ours, ...theirs]
    const conduct = conductOfAll(all)
    if (conduct.requests === 0) {
      io.err(`${endedText(child.failure)} ${SENT_NOTHING}`)
      return child.failure === undefined ? NOT_STARTED : 1
    }
    const [ended, moved] = [endedText(child.failure), movedText(moneyOfAll(all))]
    io.out(`\n${ended} ${moved}.\n`)
    const shown = all.length > 1 ? { ...conduct, findings: oncePerRule(conduct.findings) } : conduct
    const typed = typedWords(command)
    io.out(conductText(shown, typed))
    await io.report(conduct, { ended, moved })
    if (child.failure !== undefined || conduct.errors > 0) return 1
    io.out(
      `\nNext: ${typedCommand()} gauntlet -- ${typed}\nIt runs the same once for each of ${counted(CATALOG.length, 'trouble')}, or with --quick for the ${QUICK_TROUBLES} that tell most.`,
    )
    return 0
  } finally {
    await close()
    rmdirSync(dirname(folder))
  }
}

/** Keeps one finding for each rule: many tests break a rule in the same way. */
function oncePerRule(findings: readonly Finding[]): Finding[] {
  const rules = groupBy(findings, ({ rule, severity }) => `${rule} ${severity}`)
  return [...rules.values()].map(([first, ...others]) =>
    others.length === 0
      ? first!
      : { ...first!, what: `${first!.what} (and ${others.length} more of ${first!.rule})` },
  )
}

const endedText = (failure: string | undefined): string =>
  failure === undefined ? 'The command passed.' : `The command failed: ${failure}.`
