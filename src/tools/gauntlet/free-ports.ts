/** Ports for programs that cannot be told to take a free one themselves, such as the receiver of the tests. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * From 32768 on, systems give ports to connections and to servers that ask for 0: one from there may be taken before the
 * program listens.
 */
export const GIVEN_BY_SYSTEMS_FROM = 32_768

/** Each port once, round and round, so that two programs that have not listened yet get different ones. */
export class FreePorts {
  readonly #first: number
  readonly #count: number
  #used: number

  /** Of `count` ports from `first` on, beginning somewhere among them. */
  constructor(first: number, count: number, beginning: number) {
    this.#first = first
    this.#count = count
    this.#used = beginning
  }

  async next(): Promise<number> {
    for (;;) {
      const port = this.#first + (this.#used % this.#count)
      this.#used += 1
      if (await isFree(port)) return port
    }
  }
}

async function isFree(port: number): Promise<boolean> {
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
