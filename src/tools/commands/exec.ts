/** `paysim exec`: a command with a sandbox of its own, and the verdict on what its client did there. */
import { conductReport } from '../../tester/conduct/report.ts'
import { type ExecFlags, execCommand } from '../gauntlet/exec.ts'
import type { Lifetime } from './lifetime.ts'
import { startSimulator } from './own-simulator.ts'
import { readReportFlags } from './reports.ts'
import { terminal } from './terminal.ts'

interface ExecOptions extends ExecFlags {
  /** `junit=FILE` or `json=FILE`. */
  report?: readonly string[] | undefined
}

export async function exec({ report = [], ...flags }: ExecOptions, life: Lifetime): Promise<void> {
  process.exitCode = await execCommand(flags, {
    ...terminal,
    env: process.env,
    stopped: life.stopSignal(),
    startSimulator,
    report: readReportFlags(report, conductReport),
  })
}
