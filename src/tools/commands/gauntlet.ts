/** `paysim gauntlet`: a test suite in calm, then once for each trouble, in one simulator that listens on a free port. */

import { createSimulator } from '../compose.ts'
import { gauntletCommand } from '../gauntlet/command.ts'
import type { GauntletFlags } from '../gauntlet/options.ts'
import type { Lifetime } from './lifetime.ts'
import { progress, terminal } from './terminal.ts'

export async function gauntlet(flags: GauntletFlags, life: Lifetime): Promise<void> {
  process.exitCode = await gauntletCommand(flags, {
    ...terminal,
    progress,
    env: process.env,
    stopped: life.stopSignal(),
    async startSimulator() {
      const simulator = createSimulator({ log: 'silent' })
      const { url } = await simulator.listen()
      return { simulator, url, close: () => simulator.close() }
    },
  })
}
