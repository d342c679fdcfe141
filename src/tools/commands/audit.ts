/** `paysim audit`: reports what the platform did at a running paysim that would break in production. */
import { auditText, hasNothingToJudge } from '../../tester/audit/show.ts'
import { auditReport } from '../checks/of-audit.ts'
import { writeReport } from '../checks/write.ts'
import type { Resolved } from '../options/commands.ts'
import { sandboxAt } from './sandbox-at.ts'
import { printText, reportsTo } from './terminal.ts'

/** Distinct from the exit code for failed rules. */
const NO_VERDICT = 2

export async function audit(options: Resolved<'audit'>): Promise<number> {
  const { reports, idle = false } = options
  const { ignore } = options.audit
  const verdict = await (await sandboxAt(options)).audit({ ignore })
  printText(auditText(verdict))
  await writeReport(auditReport(verdict), reportsTo(reports))
  return verdict.errors > 0 ? 1 : hasNothingToJudge(verdict) && !idle ? NO_VERDICT : 0
}
