/** `paysim run`: plays scenario files, in a simulator of its own unless a target is named. */
import { playCommand } from '../player/command.ts'
import type { PlayOptions } from '../player/options.ts'
import { createSimulator } from '../simulator.ts'
import { terminal } from './terminal.ts'

export async function run(options: PlayOptions): Promise<void> {
  process.exitCode = await playCommand(options, {
    ...terminal,
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
    env: process.env,
    async startOwn() {
      const simulator = createSimulator()
      const { url } = await simulator.listen()
      const { apiKey } = simulator.sandbox('default')
      return { url, apiKey, close: () => simulator.close() }
    },
  })
}
