/** `paysim exec`: the tests once, in calm, and what their client did that would hurt in production. */
import { counted } from '../../spec/contract/counted.ts'
import { duration } from '../../spec/options/values.ts'
import type { Conduct } from '../../tester/conduct/judge.ts'
import { conductText } from '../../tester/conduct/show.ts'
import { CATALOG } from './catalog.ts'
import { type GauntletExit, type GauntletIo, INTERRUPTED, NOT_STARTED } from './command.ts'
import { moneyOf } from './money.ts'
import { readIgnored, readWebhookUrl } from './options.ts'
import { FIRST_RUN_LIMIT_MS } from './runner.ts'
import { movedText, SENT_NOTHING } from './show.ts'
import { runInSandbox } from './suite.ts'

export interface ExecFlags {
  command: readonly string[]
  webhookUrl?: string | undefined
  /** Rules of conduct, such as `C7=legacy importer`. */
  ignore?: readonly string[] | undefined
  limit?: string | undefined
}

export type ExecIo = Omit<GauntletIo, 'progress' | 'page'> & {
  /** Writes the reports that were asked for. */
  report(conduct: Conduct, ran: { ended: string; moved: string }): Promise<void>
}

/** It fails as the command does, and where an error of conduct was found. */
export async function execCommand(flags: ExecFlags, io: ExecIo): Promise<GauntletExit> {
  const { command } = flags
  const limitMs = flags.limit === undefined ? FIRST_RUN_LIMIT_MS : duration(flags.limit, '--limit')
  const { webhookUrl } = readWebhookUrl(flags.webhookUrl, io.env)
  const ignoredRules = readIgnored(flags.ignore, io.env)
  const { simulator, url, close } = await io.startSimulator()
  try {
    const setup = { command, webhookUrl, ignoredRules, env: io.env, simulator, url, stopped: io.stopped }
    const { child, shop, conduct } = await runInSandbox(setup, {
      name: 'calm',
      behaviors: [],
      limitMs: () => limitMs,
    })
    if (io.stopped.aborted) return INTERRUPTED
    if (conduct.requests === 0) {
      io.err(`${endedText(child.failure)} ${SENT_NOTHING}`)
      return child.failure === undefined ? NOT_STARTED : 1
    }
    const [ended, moved] = [endedText(child.failure), movedText(moneyOf(shop))]
    io.out(`\n${ended} ${moved}.\n`)
    io.out(conductText(conduct))
    await io.report(conduct, { ended, moved })
    if (child.failure !== undefined || conduct.errors > 0) return 1
    io.out(
      `\nNext: paysim gauntlet -- ${command.join(' ')}\nIt runs the same once for each of ${counted(CATALOG.length, 'trouble')}, or with --quick for about ten.`,
    )
    return 0
  } finally {
    await close()
  }
}

const endedText = (failure: string | undefined): string =>
  failure === undefined ? 'The command passed.' : `The command failed: ${failure}.`
