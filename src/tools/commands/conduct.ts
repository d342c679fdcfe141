/** `paysim conduct`: what the platform did at a running paysim that would hurt in production. */

import { conductText, hasNothingToJudge } from '../../tester/conduct/show.ts'
import { conductReport } from '../checks/of-conduct.ts'
import { writeReport } from '../checks/write.ts'
import type { Resolved } from '../options/commands.ts'
import { sandboxAt } from './sandbox-at.ts'
import { annotation, printText } from './terminal.ts'

/** Not that of a bad verdict. */
const NO_VERDICT = 2

export async function conduct(options: Resolved<'conduct'>): Promise<void> {
  const { reports, idle = false } = options
  const { ignore } = options.conduct
  const verdict = await (await sandboxAt(options)).conduct({ ignore })
  printText(conductText(verdict))
  await writeReport(conductReport(verdict), { files: reports, env: process.env, annotate: annotation })
  process.exitCode = verdict.errors > 0 ? 1 : hasNothingToJudge(verdict) && !idle ? NO_VERDICT : 0
}
