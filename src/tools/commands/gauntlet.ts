/** `paysim gauntlet`: a test suite in calm, then once for each trouble, in one simulator that listens on a free port. */

import { gauntletCommand } from '../gauntlet/command.ts'
import type { Resolved } from '../options/commands.ts'
import type { Lifetime } from './lifetime.ts'
import { startSimulator } from './own-simulator.ts'
import { progress, terminal } from './terminal.ts'

export async function gauntlet(options: Resolved<'gauntlet'>, life: Lifetime): Promise<void> {
  process.exitCode = await gauntletCommand(options, {
    ...terminal,
    progress,
    async page(outcome) {
      const { gauntletPage } = await import('../report-page/gauntlet-page.tsx')
      return gauntletPage(outcome)
    },
    env: process.env,
    stopped: life.stopSignal(),
    startSimulator,
  })
}
