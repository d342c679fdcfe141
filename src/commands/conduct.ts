/** `paysim conduct`: what the platform did at a running paysim that would hurt in production. */
import { conductReport } from '../conduct/report.ts'
import { conductText } from '../conduct/show.ts'
import { connect } from '../control-client.ts'
import { readValue } from '../options/read.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { IgnoredRules } from '../options/values.ts'
import { readReportFlags } from './reports.ts'
import { terminal } from './terminal.ts'

export interface ConductCommandOptions {
  target: string
  sandbox?: string | undefined
  adminToken?: string | undefined
  /** Such as `C7=legacy importer`. */
  ignore?: readonly string[] | undefined
  /** `junit=FILE` or `json=FILE`. */
  report?: readonly string[] | undefined
}

export async function conduct(options: ConductCommandOptions): Promise<void> {
  const { target, sandbox = DEFAULT_SANDBOX, adminToken, report = [] } = options
  const ignore = readValue(IgnoredRules, [...(options.ignore ?? [])], '--ignore')
  const writeReports = readReportFlags(report, conductReport)
  const shop = await connect(target, { adminToken }).find(sandbox)
  const verdict = await shop.conduct({ ignore })
  terminal.out(conductText(verdict))
  await writeReports(verdict)
  process.exitCode = verdict.errors > 0 ? 1 : 0
}
