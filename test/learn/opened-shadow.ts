/** `paysim shadow` without its process; `close` is what a signal does. */
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { openShadow, type ShadowOptions } from '../../src/tools/commands/shadow.ts'

export const FREE_PORTS = { port: 0, dashboardPort: 0 }

export async function openedShadow(options: ShadowOptions, out: (line: string) => void) {
  const life = new Lifetime()
  const shadow = await openShadow(options, out, life).catch(async (cause) => {
    await life.end()
    throw cause
  })
  return { ...shadow, close: () => life.end() }
}
