/** The three ways to measure. Each answers with one sample a round; what becomes of them is the table's business. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load } from './load.ts'
import { type Server, startBare, startPaysim } from './server.ts'

const apiKey = 'sk_staging_default'
/** What each sending of a request replaces by digits of its own. */
export const FRESH = 'xxxxxxxxxxxx'

export interface Effort {
  rounds: number
  roundMs: number
  repeats: number
}

export interface Measured {
  /** What is compared with the goal, one value a round. */
  samples: number[]
  unit: string
  /** Absolute numbers, for the curious: they belong to this machine and this hour. */
  detail: string
}

export type Measure = (effort: Effort) => Promise<Measured>

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** Sends one call and gives back the answer's status and text. */
export type Send = (call: Call) => Promise<{ status: number; text: string }>

/**
 * How many answers a second, as a share of what the bare server gives to the same load.
 *
 * Bare and paysim take turns, so that a busy minute on the machine hits both, and each turn of the two makes one ratio.
 */
export function throughput(options: {
  flags?: string[]
  file?: boolean
  prepare(send: Send): Promise<Call>
}): Measure {
  return async ({ rounds, roundMs }) => {
    const folder = options.file ? mkdtempSync(join(tmpdir(), 'paysim-bench-')) : undefined
    const paysim = await startPaysim(...(folder ? ['--data', folder] : []), ...(options.flags ?? []))
    const send = sender(paysim)
    const call = await options.prepare(send)
    const { status, text } = await send(call)
    const bare = await startBare(status, text)
    const client = startClient()
    const load = (server: Server) => client.load(server, call, status, roundMs)
    try {
      await load(bare)
      await load(paysim)
      const turns: { bare: Turn; paysim: Turn }[] = []
      for (let round = 0; round < rounds; round++) {
        turns.push({ bare: await load(bare), paysim: await load(paysim) })
      }

      const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick))
      const core = middle(({ bare }) => bare.core)
      const rates = [middle(({ paysim }) => paysim.perSecond), middle(({ bare }) => bare.perSecond)]
      return {
        samples: turns.map(({ bare, paysim }) => paysim.perSecond / bare.perSecond),
        unit: 'of bare',
        detail: [
          rates.map((rate) => `${Math.round(rate).toLocaleString('en')}/s`).join(' of '),
          `${middle(({ bare, paysim }) => bare.cpuEach / paysim.cpuEach).toFixed(2)} by CPU time`,
          // Without a core of its own the bare server is held back by its neighbours, and paysim looks better than it is.
          ...(core < 0.9
            ? [`the machine was busy, bare had ${Math.round(core * 100)} % of a core: trust CPU time`]
            : []),
        ].join('; '),
      }
    } finally {
      client.stop()
      await Promise.all([bare.stop(), paysim.stop()])
      if (folder) rmSync(folder, { recursive: true })
    }
  }
}

/** The process that makes the load. */
export function startClient() {
  const client = fork(join(import.meta.dirname, 'load.js'))
  return {
    stop: () => void client.kill(),
    async load(server: Server, call: Call, status: number, durationMs: number): Promise<Turn> {
      const cpuBefore = server.cpuMs()
      const message: Load = {
        port: Number(new URL(server.url).port),
        request: requestText(server, call),
        fresh: FRESH,
        status,
        connections: 50,
        durationMs,
      }
      client.send(message)
      const [result] = await once(client, 'message')
      if (result.error) throw new Error(result.error)
      const cpu = server.cpuMs() - cpuBefore
      return {
        perSecond: (result.answers / durationMs) * 1000,
        cpuEach: cpu / result.answers,
        core: cpu / durationMs,
      }
    },
  }
}

export interface Turn {
  perSecond: number
  /** CPU time that the server spends on one answer. */
  cpuEach: number
  /** How much of a core the server had. */
  core: number
}

/** From the start of the process to its first answer, in multiples of the bare server's. */
export function startUp(call: Call, ...flags: string[]): Measure {
  return async ({ repeats }) => {
    const timed = async (begin: () => Promise<Server>) => {
      const before = performance.now()
      const server = await begin()
      const answer = await sender(server)(call)
      const ms = performance.now() - before
      await server.stop()
      return { ms, answer }
    }
    // The first one also loads the files into the system's cache and this process's own HTTP client.
    const { answer } = await timed(() => startPaysim(...flags))
    const turns: { bare: number; paysim: number }[] = []
    for (let turn = 0; turn < repeats; turn++) {
      const bare = await timed(() => startBare(answer.status, answer.text))
      const paysim = await timed(() => startPaysim(...flags))
      turns.push({ bare: bare.ms, paysim: paysim.ms })
    }
    const ms = (of: 'bare' | 'paysim') => `${median(turns.map((turn) => turn[of])).toFixed(0)} ms`
    return {
      samples: turns.map(({ bare, paysim }) => paysim / bare),
      unit: 'times bare',
      detail: `${ms('paysim')} against ${ms('bare')}`,
    }
  }
}

/** The time of something done in this very process. */
export function inProcess(once: () => unknown): Measure {
  return async ({ repeats }) => {
    const timed = async () => {
      const before = performance.now()
      await once()
      return performance.now() - before
    }
    await timed()
    const samples: number[] = []
    for (let turn = 0; turn < repeats * 10; turn++) samples.push(await timed())
    return { samples, unit: 'ms', detail: `${samples.length} times, the first not counted` }
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!
}

function sender(server: Server): Send {
  return async ({ method, path, body }) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}

/** The call as it goes over the wire. What is not a GET carries an Idempotency-Key that is new. */
function requestText(server: Server, { method, path, body }: Call): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(server.url).host}`, `x-api-key: ${apiKey}`]
  if (method !== 'GET') {
    lines.push(
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `Idempotency-Key: 0f5c2f1e-0000-4000-8000-${FRESH}`,
    )
  }
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
