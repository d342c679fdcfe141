/** Ports for programs that cannot be told to take a free one themselves, such as the receiver of the tests. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Systems give ports from 32768 on to connections and to servers that ask for port 0, so one of those may be
 * taken before the program listens.
 */
export const GIVEN_BY_SYSTEMS_FROM = 32_768

/** A port that no other process using this class gets, until it is released or this process ends. */
export interface TakenPort {
  port: number
  release(): void
}

/** Gives each port of a range in turn, then begins again with the first. */
export class FreePorts {
  readonly #first: number
  readonly #count: number
  #used: number

  /**
   * The range is `count` ports from `first` on; the search starts at its place `beginning` modulo `count`.
   */
  constructor(first: number, count: number, beginning: number) {
    this.#first = first
    this.#count = count
    this.#used = beginning
  }

  async take(): Promise<TakenPort> {
    for (;;) {
      const port = this.#first + (this.#used % this.#count)
      this.#used += 1
      const taken = await takePort(port)
      if (taken) return taken
    }
  }

  async next(): Promise<number> {
    return (await this.take()).port
  }
}

/**
 * Takes a port for a program that will listen there. Its TCP port must stay free for the program, so this
 * binds the UDP port of the same number: the system gives that to one process only.
 */
async function takePort(port: number): Promise<TakenPort | undefined> {
  const mark = createSocket('udp4')
  mark.unref()
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(mark, 'listening')
  } catch {
    mark.close()
    return undefined
  }
  if (await isFree(port)) return { port, release: () => mark.close() }
  mark.close()
  return undefined
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
