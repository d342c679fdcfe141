/** `paysim exec`: a command with a sandbox of its own, and the verdict on what its client did there. */
import { conductReport } from '../checks/of-conduct.ts'
import { readReportFlags, writeReport } from '../checks/write.ts'
import { type ExecFlags, execCommand } from '../gauntlet/exec.ts'
import type { Lifetime } from './lifetime.ts'
import { startSimulator } from './own-simulator.ts'
import { terminal } from './terminal.ts'

interface ExecOptions extends ExecFlags {
  /** `junit=FILE`, `json=FILE` or `html=FILE`. */
  report?: readonly string[] | undefined
}

export async function exec({ report, ...flags }: ExecOptions, life: Lifetime): Promise<void> {
  const files = readReportFlags(report)
  process.exitCode = await execCommand(flags, {
    ...terminal,
    env: process.env,
    stopped: life.stopSignal(),
    startSimulator,
    report: (conduct, ran) =>
      writeReport(conductReport(conduct, ran), { files, env: process.env, out: terminal.out }),
  })
}
