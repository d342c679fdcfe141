/** `paysim conduct`: what the platform did at a running paysim that would hurt in production. */
import { conductReport } from '../conduct/report.ts'
import { conductText } from '../conduct/show.ts'
import { connect } from '../control-client.ts'
import { readValue, UsageError } from '../options/read.ts'
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
  const verdict = await connect(target, { adminToken })
    .find(sandbox)
    .then((shop) => shop.conduct({ ignore }))
    // Without a verdict the exit code is not that of a bad one.
    .catch(({ message }: Error) => {
      throw new UsageError(`The sandbox ${sandbox} at ${target} cannot be judged: ${message}.`)
    })
  terminal.out(conductText(verdict))
  await writeReports(verdict)
  process.exitCode = verdict.errors > 0 ? 1 : 0
}
