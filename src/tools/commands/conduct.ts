/** `paysim conduct`: what the platform did at a running paysim that would hurt in production. */

import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { conductText } from '../../tester/conduct/show.ts'
import { connect } from '../../tester/control/client.ts'
import { conductReport } from '../checks/of-conduct.ts'
import { writeReport } from '../checks/write.ts'
import type { Resolved } from '../options/commands.ts'
import { terminal } from './terminal.ts'

export async function conduct(options: Resolved<'conduct'>): Promise<void> {
  const { target, sandbox, adminToken, reports } = options
  const { ignore } = options.conduct
  const verdict = await connect(target, { adminToken })
    .find(sandbox)
    .then((shop) => shop.conduct({ ignore }))
    // Exit code 2: without a verdict, the exit code must not be that of a bad one.
    .catch(({ message }: Error) => {
      throw new UsageError(`The sandbox ${sandbox} at ${target} cannot be judged: ${asSentence(message)}`)
    })
  terminal.out(conductText(verdict))
  await writeReport(conductReport(verdict), { files: reports, env: process.env, out: terminal.out })
  process.exitCode = verdict.errors > 0 ? 1 : 0
}
