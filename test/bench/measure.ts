/** The ways to measure. Each answers with one sample a round; what becomes of them is the table's business. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load, Loaded } from './load.ts'
import type { Peer, PeerCall } from './peers.ts'
import { type Floor, pin, type Server, startFloor, startPaysim } from './server.ts'

const API_KEY = 'sk_staging_default'
/** What each sending of a request replaces by digits of its own. */
export const FRESH = 'xxxxxxxxxxxx'

export interface Effort {
  rounds: number
  roundMs: number
  repeats: number
  /** By what the sandboxes and checkouts of the large rows are divided. */
  smaller: number
  peers: readonly Peer[]
}

export interface Measured {
  /** What is compared with the goal, one value a round. */
  samples: number[]
  unit: string
  /** Further columns of the table. */
  columns?: Partial<Record<Column, number>>
  /** Absolute numbers, for the curious: they belong to this machine and this hour. */
  detail: string
}

/** What stands beside a row's figure: the same by CPU time, by the other floor, and what a peer makes of it. */
export type Column = 'by CPU' | 'of node' | 'of Hono' | Peer['name']

export type Measure = (effort: Effort) => Promise<Measured>

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** Sends one call and gives back the answer's status and text. */
export type Send = (call: Call) => Promise<{ status: number; text: string }>

/** A server with the request that it is asked again and again. */
export interface Contestant {
  server: Server
  /** A whole request, as it goes over the wire; of several each connection sends one. */
  request: string | readonly string[]
  status: number
}

/**
 * All take turns, so that a busy minute on the machine hits each of them, and a round of turns makes one ratio. The first
 * round warms up and does not count.
 */
export async function inTurns<Name extends string>(
  contestants: Record<Name, Contestant>,
  { rounds, roundMs }: Pick<Effort, 'rounds' | 'roundMs'>,
  client = startClient(),
  connections?: number,
): Promise<Record<Name, Turn>[]> {
  const turns: Record<Name, Turn>[] = []
  try {
    for (let round = 0; round <= rounds; round++) {
      const turn = {} as Record<Name, Turn>
      for (const name in contestants) turn[name] = await client.load(contestants[name], roundMs, connections)
      if (round > 0) turns.push(turn)
    }
    return turns
  } finally {
    client.stop()
  }
}

export const middleOf = <Turns>(turns: Turns[], pick: (turn: Turns) => number) => median(turns.map(pick))

/**
 * How many answers a second, as a share of what a bare Hono app gives to the same load; the bare `node:http` server and
 * the peers have their turns too.
 */
export function throughput(options: {
  flags?: string[]
  file?: boolean
  /** What peers are asked instead. */
  peerCall?: PeerCall
  prepare(send: Send): Promise<Call>
}): Measure {
  return async (effort) => {
    const folder = options.file ? mkdtempSync(join(tmpdir(), 'paysim-bench-')) : undefined
    const server = await startPaysim(...(folder ? ['--data', folder] : []), ...(options.flags ?? []))
    const send = sender(server)
    const call = await options.prepare(send)
    const { status, text } = await send(call)
    const asked = (server: Server): Contestant => ({ server, request: requestText(call), status })
    const contestants = {
      node: asked(await startFloor('node', status, text)),
      hono: asked(await startFloor('hono', status, text)),
      paysim: asked(server),
    }
    const peers: Partial<Record<Peer['name'], Contestant>> = {}
    for (const { name, prepare } of options.peerCall ? effort.peers : [])
      peers[name] = await prepare(options.peerCall!, status, text)
    try {
      const turns = await inTurns(
        { ...contestants, ...peers } as typeof contestants & Required<typeof peers>,
        effort,
      )
      const core = middleOf(turns, ({ node }) => node.core)
      const perSecond = (name: keyof typeof contestants) =>
        `${Math.round(middleOf(turns, (turn) => turn[name].perSecond)).toLocaleString('en')}/s`
      const share = (name: Peer['name']) =>
        middleOf(turns, (turn) => turn[name].perSecond / turn.hono.perSecond)
      return {
        samples: turns.map(({ paysim, hono }) => paysim.perSecond / hono.perSecond),
        unit: 'of Hono',
        columns: {
          'by CPU': middleOf(turns, ({ paysim, hono }) => hono.cpuEach / paysim.cpuEach),
          'of node': middleOf(turns, ({ paysim, node }) => paysim.perSecond / node.perSecond),
          ...Object.fromEntries(Object.keys(peers).map((name) => [name, share(name as Peer['name'])])),
        },
        detail: [
          `${perSecond('paysim')}, Hono ${perSecond('hono')}, node:http ${perSecond('node')}`,
          // Without a core of its own the floor is held back by its neighbours, and paysim looks better than it is.
          ...(core < 0.9
            ? [`the machine was busy, node:http had ${Math.round(core * 100)} % of a core: trust CPU`]
            : []),
        ].join('; '),
      }
    } finally {
      await Promise.all(Object.values({ ...contestants, ...peers }).map(({ server }) => server.stop()))
      if (folder) rmSync(folder, { recursive: true })
    }
  }
}

/** The load of one paysim, as a share of the load of another one. */
export async function shareOf(
  contestants: Record<'with' | 'without', Contestant>,
  effort: Effort,
): Promise<Measured> {
  const turns = await inTurns(contestants, effort)
  const perSecond = (which: 'with' | 'without') =>
    Math.round(middleOf(turns, (turn) => turn[which].perSecond)).toLocaleString('en')
  return {
    samples: turns.map((turn) => turn.with.perSecond / turn.without.perSecond),
    unit: 'of without',
    columns: { 'by CPU': middleOf(turns, (turn) => turn.without.cpuEach / turn.with.cpuEach) },
    detail: `${perSecond('with')}/s of ${perSecond('without')}/s`,
  }
}

/**
 * The 99th percentile of one paysim, in multiples of another one's. Both are asked on the same cores, in many short turns:
 * what disturbs the machine meanwhile hits some of them, and the median leaves those out.
 */
export async function slowest99Of(
  contestants: Record<'with' | 'without', Contestant>,
  { rounds, roundMs }: Effort,
): Promise<Measured> {
  const client = startClient()
  const cores = availableParallelism()
  if (cores > 1) {
    client.pin('0')
    for (const { server } of Object.values(contestants)) server.pin(`1-${cores - 1}`)
  }
  const short = { rounds: rounds * 8, roundMs: Math.max(roundMs / 4, 250) }
  const turns = await inTurns(contestants, short, client, 8)
  const ms = (which: 'with' | 'without') =>
    `${middleOf(turns, (turn) => turn[which].slowest99Ms).toFixed(1)} ms`
  const samples = turns.map((turn) => turn.with.slowest99Ms / turn.without.slowest99Ms)
  const [low, high] = [0.25, 0.75].map((share) =>
    samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)]!.toFixed(2),
  )
  return {
    samples,
    unit: 'times without',
    detail: `99 % within ${ms('with')} of ${ms('without')}; half of ${turns.length} turns are ${low}–${high}`,
  }
}

/** The process that makes the load. */
export function startClient() {
  const child = fork(join(import.meta.dirname, 'load.js'))
  return {
    stop: () => void child.kill(),
    pin: (cores: string) => pin(child, cores),
    async load({ server, request, status }: Contestant, durationMs: number, connections = 50): Promise<Turn> {
      const cpuBefore = server.cpuMs()
      const port = Number(new URL(server.url).port)
      child.send({ port, request, fresh: FRESH, status, connections, durationMs } satisfies Load)
      const [result] = (await once(child, 'message')) as [Loaded | { error: string }]
      if ('error' in result) throw new Error(result.error)
      const cpu = server.cpuMs() - cpuBefore
      return {
        ...result,
        perSecond: (result.answers / durationMs) * 1000,
        cpuEach: cpu / result.answers,
        core: cpu / durationMs,
      }
    },
  }
}

export interface Turn extends Loaded {
  perSecond: number
  /** CPU time that the server spends on one answer. */
  cpuEach: number
  /** How much of a core the server had. */
  core: number
}

/** From the start of the process to its first answer, in multiples of the bare `node:http` server's. */
export function startUp(
  call: Call,
  prepare: (effort: Effort) => Promise<string[]> = async () => [],
): Measure {
  return async (effort) => {
    const flags = await prepare(effort)
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
    const floor = (name: Floor) => timed(() => startFloor(name, answer.status, answer.text))
    const turns: Record<Floor | 'paysim', number>[] = []
    for (let turn = 0; turn < effort.repeats; turn++) {
      const [{ ms: node }, { ms: hono }] = [await floor('node'), await floor('hono')]
      turns.push({ node, hono, paysim: (await timed(() => startPaysim(...flags))).ms })
    }
    const ms = (of: Floor | 'paysim') => `${middleOf(turns, (turn) => turn[of]).toFixed(0)} ms`
    return {
      samples: turns.map(({ node, paysim }) => paysim / node),
      unit: 'times node',
      columns: { 'of Hono': middleOf(turns, ({ paysim, hono }) => paysim / hono) },
      detail: `${ms('paysim')}, Hono ${ms('hono')}, node:http ${ms('node')}`,
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

export function sender(server: Pick<Server, 'url'>): Send {
  return async ({ method, path, body }) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}

/** The call as it goes over the wire. What is not a GET carries an Idempotency-Key that is new. */
export const requestText = ({ method, path, body }: Call, apiKey = API_KEY): string =>
  method === 'GET'
    ? wireText(method, path, [`x-api-key: ${apiKey}`])
    : wireText(
        method,
        path,
        [
          `x-api-key: ${apiKey}`,
          'Content-Type: application/json',
          `Idempotency-Key: 0f5c2f1e-0000-4000-8000-${FRESH}`,
        ],
        JSON.stringify(body ?? {}),
      )

export function wireText(method: string, path: string, headers: string[], body?: string): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, ...length]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
