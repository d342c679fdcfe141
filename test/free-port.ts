/**
 * A port for a program that cannot be told to take a free one itself. It is below 32768, from where systems give ports to
 * servers that ask for 0 and to connections, so nothing takes it before that program listens.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 10_000
const EACH = 500
const BANDS = 40

/** Each worker of the tests has ports of its own; those of another run on this machine begin at another place. */
const band = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % BANDS) * EACH
let used = process.pid

export async function freePort(): Promise<number> {
  for (;;) {
    const port = band + (used % EACH)
    used += 1
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
