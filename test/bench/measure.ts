/** Measures the cost of each contestant, turn by turn. The table in rows.ts and bench.ts judges the results. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ORDER } from '../order.ts'
import type { Load, Loaded } from './load.ts'
import type { Server } from './server.ts'

const API_KEY = 'sk_staging_default'
/** The digits of a request that change each time it is sent. */
const FRESH = 'xxxxxxxxxxxx'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** The request of most rows. */
export const createCheckout: Call = {
  method: 'POST',
  path: '/v1/checkouts',
  body: ORDER,
}

/** A server, and the request that is sent to it repeatedly. */
export interface Contestant {
  server: Server
  /** The bytes of a whole request. If there are several, each connection sends one. */
  request: string | readonly string[]
  status: number
}

/** The cost of one response or one start. */
export interface Cost {
  cpuMs: number
  /** The time of one start, or between two responses of a busy server. */
  ms: number
  /** The longest permitted time of a start. */
  memoryMb?: number
  /** The memory growth of the process, and its page faults. */
  leftKb?: number
  faults?: number
}

/** The contestants take turns, every second round in reverse, so that a busy minute of the machine affects all of them. */
export async function inTurns<Name extends string, Taken>(
  names: readonly Name[],
  count: number,
  take: (name: Name) => Promise<Taken>,
): Promise<Record<Name, Taken>[]> {
  const turns: Record<Name, Taken>[] = []
  for (let number = 0; number < count; number++) {
    const turn = {} as Record<Name, Taken>
    for (const name of number % 2 === 0 ? names : names.toReversed()) turn[name] = await take(name)
    turns.push(turn)
  }
  return turns
}

export const middleOf = <Turns>(turns: Turns[], pick: (turn: Turns) => number) => median(turns.map(pick))

export const median = (values: readonly number[]) => quantile(values, 0.5)

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return low + (high - low) * (at - Math.floor(at))
}

export interface Turn extends Loaded, Required<Omit<Cost, 'memoryMb'>> {
  perSecond: number
}

/** The process that generates the load. */
export function startClient() {
  const child = fork(join(import.meta.dirname, 'load.js'))
  return {
    stop: () => void child.kill(),
    async load({ server, request, status }: Contestant, durationMs: number, connections = 50): Promise<Turn> {
      const [cpuMs, memoryKb, faults] = [server.cpuMs(), server.memoryKb(), server.faults()]
      const port = Number(new URL(server.url).port)
      child.send({ port, request, fresh: FRESH, status, connections, durationMs } satisfies Load)
      const [loaded] = (await once(child, 'message')) as [Loaded | { error: string }]
      if ('error' in loaded) throw new Error(loaded.error)
      return {
        ...loaded,
        perSecond: (loaded.inTime / durationMs) * 1000,
        ms: durationMs / loaded.inTime,
        cpuMs: (server.cpuMs() - cpuMs) / loaded.answers,
        leftKb: (server.memoryKb() - memoryKb) / loaded.answers,
        faults: (server.faults() - faults) / loaded.answers,
      }
    },
  }
}

/** Sends one call, and returns the text of the response. */
export async function send({ url }: Server, { method, path, body }: Call): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}: ${text}`)
  return text
}

/** The call as bytes of HTTP. Methods other than GET get a fresh Idempotency-Key each time. */
export function requestText({ method, path, body = {} }: Call, apiKey = API_KEY): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `x-api-key: ${apiKey}`]
  if (method === 'GET') return `${lines.join('\r\n')}\r\n\r\n`
  const text = JSON.stringify(body)
  lines.push('Content-Type: application/json', `Idempotency-Key: 0f5c2f1e-0000-4000-8000-${FRESH}`)
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}
