/** Where a run's webhooks go. Runs at the same time need different ports, as each has its own receiver. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Random } from '../../spec/world/random.ts'

export const hasPort = (template: string): boolean => template.includes('{port}')

export interface WebhookAddress {
  url: string
  port: string
  /** Frees the port for other runs. */
  release(): void
}

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

/** Makes addresses in which `{port}` is a free port, each of them for one run at a time. */
export class WebhookAddresses {
  readonly #taken = new Set<number>()
  readonly #random = new Random()

  async take(template: string): Promise<WebhookAddress> {
    if (!hasPort(template)) return { url: template, port: new URL(template).port, release: () => {} }
    const port = await this.#freePort()
    const url = template.replaceAll('{port}', String(port))
    return { url, port: new URL(url).port, release: () => this.#taken.delete(port) }
  }

  /** Drawn at random, so that two gauntlets on one machine seldom try the same port. */
  async #freePort(): Promise<number> {
    for (;;) {
      const port = FIRST_PORT + (this.#random.next() % (ASSIGNED_FROM - FIRST_PORT))
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      if (await isFree(port)) return port
      this.#taken.delete(port)
    }
  }
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
