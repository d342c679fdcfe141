/** `paysim exec`: a command with a sandbox of its own, and the verdict on what its client did there. */

import { conductReport } from '../checks/of-conduct.ts'
import { writeReport } from '../checks/write.ts'
import { execCommand } from '../gauntlet/exec.ts'
import type { Resolved } from '../options/commands.ts'
import type { Lifetime } from './lifetime.ts'
import { startSimulator } from './own-simulator.ts'
import { terminal } from './terminal.ts'

export async function exec(options: Resolved<'exec'>, life: Lifetime): Promise<void> {
  process.exitCode = await execCommand(options, {
    ...terminal,
    env: process.env,
    stopped: life.stopSignal(),
    startSimulator,
    report: (conduct, ran) =>
      writeReport(conductReport(conduct, ran), {
        files: options.reports,
        env: process.env,
        out: terminal.out,
      }),
  })
}
