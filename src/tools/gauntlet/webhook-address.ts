/** Where a run's webhooks go. Runs at the same time need different ports, as each has its own receiver. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Random } from '../../spec/world/random.ts'

export const hasPort = (template: string): boolean => template.includes('{port}')

/** Systems assign ports from 32768 on to connections and to servers that ask for port 0: one of those may be taken before the tests listen. */
const ASSIGNED_FROM = 32_768
const FIRST_PORT = 20_000

/** The first address that all runs share: its port is not that of the run, and too low to be one that a system assigns for port 0. */
export const sharedBy = (receivers: readonly (string | null)[], ownPort: string): string | undefined =>
  receivers
    .filter((url) => url !== null)
    .find((url) => {
      const { port } = new URL(url)
      return port !== ownPort && Number(port) < ASSIGNED_FROM
    })

/** Ports for the runs, each once. They begin at random, so that two gauntlets on one machine seldom try the same port. */
export async function* freePorts(): AsyncGenerator<number, never> {
  const count = ASSIGNED_FROM - FIRST_PORT
  for (let next = new Random().next() % count; ; next = (next + 1) % count)
    if (await isFree(FIRST_PORT + next)) yield FIRST_PORT + next
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
