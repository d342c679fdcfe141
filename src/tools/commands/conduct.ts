/** `paysim conduct`: what the platform did at a running paysim that would hurt in production. */

import { readValue, UsageError } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { IgnoredRules } from '../../spec/options/values.ts'
import { conductText } from '../../tester/conduct/show.ts'
import { connect } from '../../tester/control/client.ts'
import { conductReport } from '../checks/of-conduct.ts'
import { readReportFlags, writeReport } from '../checks/write.ts'
import { terminal } from './terminal.ts'

export interface ConductCommandOptions {
  target: string
  sandbox?: string | undefined
  adminToken?: string | undefined
  /** Such as `C7=legacy importer`. */
  ignore?: readonly string[] | undefined
  /** `junit=FILE`, `json=FILE` or `html=FILE`. */
  report?: readonly string[] | undefined
}

export async function conduct(options: ConductCommandOptions): Promise<void> {
  const { target, sandbox = DEFAULT_SANDBOX, adminToken, report = [] } = options
  const ignore = readValue(IgnoredRules, [...(options.ignore ?? [])], '--ignore')
  const files = readReportFlags(report)
  const verdict = await connect(target, { adminToken })
    .find(sandbox)
    .then((shop) => shop.conduct({ ignore }))
    // Without a verdict the exit code is not that of a bad one.
    .catch(({ message }: Error) => {
      throw new UsageError(`The sandbox ${sandbox} at ${target} cannot be judged: ${message}.`)
    })
  terminal.out(conductText(verdict))
  await writeReport(conductReport(verdict), { files, env: process.env, out: terminal.out })
  process.exitCode = verdict.errors > 0 ? 1 : 0
}
