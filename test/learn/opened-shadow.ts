/** `paysim shadow` without its process; `close` is what a signal does. */

import { resolveOptions } from '../../src/spec/options/read.ts'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { openShadow } from '../../src/tools/commands/shadow.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'

export const FREE_PORTS = { port: 0, dashboardPort: 0 }

/** `flags` as the command line has them, but that ports may be numbers. */
export async function openedShadow(flags: Record<string, unknown>, out: (line: string) => void) {
  const options = resolveOptions('shadow', COMMANDS.shadow.options(), { flags, env: {} })
  const life = new Lifetime()
  const shadow = await openShadow(options, out, life).catch(async (cause) => {
    await life.end()
    throw cause
  })
  return { ...shadow, close: () => life.end() }
}
