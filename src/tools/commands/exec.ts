/** `paysim exec`: runs the tests once, without faults, and audits the client that they test. */
import { rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { typedCommand, typedWords } from '../../spec/typed.ts'
import { auditText } from '../../tester/audit/show.ts'
import { auditReport } from '../checks/of-audit.ts'
import { writeReport } from '../checks/write.ts'
import { CATALOG } from '../gauntlet/catalog.ts'
import { makeOutputFolder } from '../gauntlet/output-folder.ts'
import { FIRST_RUN_LIMIT_MS } from '../gauntlet/runner.ts'
import { movedText, SENT_NOTHING } from '../gauntlet/show.ts'
import { INTERRUPTED, NOT_STARTED, runSuite } from '../gauntlet/suite.ts'
import { auditOfAll, moneyOfAll, oncePerRule } from '../gauntlet/together.ts'
import type { Resolved } from '../options/commands.ts'
import type { Lifetime } from './lifetime.ts'
import { printText, reportsTo, terminal } from './terminal.ts'

export async function exec(options: Resolved<'exec'>, life: Lifetime): Promise<number> {
  const stopped = life.stopSignal()
  const { command, timeout = FIRST_RUN_LIMIT_MS } = options
  const folder = join(makeOutputFolder(), 'run')
  const setup = { ...options, env: process.env, stopped }
  const round = { name: 'calm', behaviors: [], folder, limitMs: () => timeout }
  const { child, facts } = await runSuite(setup, round)
  try {
    if (stopped.aborted) return INTERRUPTED
    if (facts.every(({ audit }) => audit.requests === 0)) {
      terminal.err(`${endedText(child.failure)} ${SENT_NOTHING}`)
      return child.failure === undefined ? NOT_STARTED : 1
    }
    const audit = auditOfAll(facts)
    const [ended, moved] = [endedText(child.failure), movedText(moneyOfAll(facts))]
    printText(`\n${ended} ${moved}.\n`)
    const shown = facts.length > 1 ? { ...audit, findings: oncePerRule(audit.findings) } : audit
    const typed = typedWords(command)
    printText(auditText(shown, typed))
    await writeReport(auditReport(audit, { ended, moved }), reportsTo(options.reports))
    if (child.failure !== undefined || audit.errors > 0) return 1
    printText(
      `\nNext: ${typedCommand()} gauntlet -- ${typed}\nIt repeats the tests once for each of ${counted(CATALOG.length, 'trouble')}, or with --quick for one of each kind.`,
    )
    return 0
  } finally {
    rmdirSync(dirname(folder))
  }
}

const endedText = (failure: string | undefined): string =>
  failure === undefined ? 'The command passed.' : `The command failed: ${failure}.`
