/** A measured operation, and its goal. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Contestant,
  type Cost,
  createCheckout,
  inTurns,
  requestText,
  send,
  startClient,
} from './measure.ts'
import { DIST, type Server, startBuild, startFloor } from './server.ts'
import { editor, exampleShop, gauntlet, imports, namesIn, shopWithoutTimeouts, testFiles } from './waiting.ts'

export interface Row {
  /** The name for `--only`. */
  name: string
  title: string
  /** The required speed, as a share of the base's speed. */
  goal: number
  /** The measured quantity: CPU time for a busy server, because the time of a request depends more on other programs. */
  by: 'cpuMs' | 'ms' | 'memoryMb'
  measure(effort: Effort): Promise<Costs[]>
}

export interface Effort {
  /** Starts per contestant. Each process compiles and places the same code differently, which alone makes a difference of some per cent. */
  processes: number
  /** Turns per process. */
  rounds: number
  roundMs: number
  starts: number
  /** The dist folder of another build to measure. */
  beside: string | undefined
}

/**
 * The number of responses of each process before the measurement: V8 compiles hot code. Paysim has more code than the floor, so it
 * takes longer: of a fsynced POST its share was 0.81 after 8,000, 0.91 after 30,000 and 0.89 after 60,000.
 */
const WARM_UP = 30_000

/** The goal is a share of `base`. `beside` is missing if no other build is measured. */
export type Name = 'base' | 'paysim' | 'beside'
export type Costs = Record<Name, Cost>

// biome-ignore format: a table
export const rows: Row[] = [
  { name: 'create', title: 'POST in memory', goal: 0.7, by: 'cpuMs', measure: underLoad(creating) },
  { name: 'create-kept', title: 'POST fsynced', goal: 0.75, by: 'cpuMs', measure: underLoad(creating, 'kept') },
  { name: 'read', title: 'GET one', goal: 0.9, by: 'cpuMs', measure: underLoad(reading) },
  { name: 'list', title: 'GET a list of 20', goal: 2, by: 'cpuMs', measure: underLoad(listing) },
  { name: 'start', title: 'start to first answer', goal: 1.33, by: 'ms', measure: startUp },
  { name: 'sandboxes', title: 'POST to 50, of one', goal: 0.45, by: 'cpuMs', measure: underLoad(fifty, 'of one') },
  { name: 'import', title: "import, of zod's", goal: 1, by: 'cpuMs', measure: imports },
  { name: 'import-memory', title: "its memory, of zod's", goal: 1, by: 'memoryMb', measure: imports },
  { name: 'files-import', title: 'test files that import', goal: 0.87, by: 'cpuMs', measure: testFiles('importing') },
  { name: 'files-sandbox', title: 'with useSandbox', goal: 0.8, by: 'cpuMs', measure: testFiles('sandbox') },
  { name: 'files-20', title: 'with 20 sandboxes each', goal: 0.62, by: 'cpuMs', measure: testFiles('sandboxes') },
  { name: 'gauntlet', title: 'examples/shop, of 20 s', goal: 1, by: 'ms', measure: gauntlet(20, exampleShop) },
  { name: 'gauntlet-quick', title: 'no timeouts, of 40 s', goal: 1, by: 'ms', measure: gauntlet(40, shopWithoutTimeouts) },
  { name: 'completion', title: 'in an editor, of 100 ms', goal: 1, by: 'ms', measure: editor('complete') },
  { name: 'hover', title: 'in an editor, of 100 ms', goal: 1, by: 'ms', measure: editor('hover') },
]

type Asked = Omit<Contestant, 'server'>

async function creating(): Promise<Asked> {
  return { request: requestText(createCheckout), status: 201 }
}

/** Each connection reads its own checkout. */
async function reading(server: Server): Promise<Asked> {
  const ids = await someCheckouts(server)
  return {
    request: ids.map((id) => requestText({ method: 'GET', path: `/v1/checkouts/${id}` })),
    status: 200,
  }
}

async function listing(server: Server): Promise<Asked> {
  await someCheckouts(server)
  return { request: requestText({ method: 'GET', path: '/v1/checkouts' }), status: 200 }
}

/** Requests of one sandbox share a commit, requests of fifty share none, and the data of fifty exceed a processor's cache. */
async function fifty(server: Server, name: Name): Promise<Asked> {
  if (name === 'base') return creating()
  const made = await fiftyTimes(() => send(server, { method: 'POST', path: '/_sim/sandboxes', body: {} }))
  return { request: made.map(({ apiKey }) => requestText(createCheckout, apiKey!)), status: 201 }
}

const someCheckouts = async (server: Server) =>
  (await fiftyTimes(() => send(server, createCheckout))).map(({ id }) => id!)

async function fiftyTimes(once: () => Promise<string>): Promise<Record<string, string>[]> {
  const answers: string[] = []
  for (let n = 0; n < 50; n++) answers.push(await once())
  return answers.map((text) => JSON.parse(text))
}

function underLoad(ask: (server: Server, name: Name) => Promise<Asked>, kind?: 'kept' | 'of one') {
  const inOneProcessEach = async (effort: Effort): Promise<Costs[]> => {
    const folder = kind === 'kept' ? mkdtempSync(join(tmpdir(), 'paysim-bench-')) : undefined
    const contestants = {} as Record<Name, Contestant>
    const client = startClient()
    try {
      const names = namesIn(effort)
      for (const name of names) {
        const server = await start(name === 'base' && kind === 'of one' ? 'paysim' : name, effort, folder)
        contestants[name] = { server, ...(await ask(server, name)) }
      }
      const load = (name: Name) => client.load(contestants[name], effort.roundMs)
      for (const name of names) for (let left = WARM_UP; left > 0; ) left -= (await load(name)).answers
      return await inTurns(names, effort.rounds, load)
    } finally {
      client.stop()
      await Promise.all(Object.values(contestants).map(({ server }) => server.stop()))
      if (folder) rmSync(folder, { recursive: true })
    }
  }
  return async (effort: Effort): Promise<Costs[]> => {
    const turns: Costs[] = []
    for (let n = 0; n < effort.processes; n++) turns.push(...(await inOneProcessEach(effort)))
    return turns
  }
}

/** The time from the start of the process to its first response. */
async function startUp(effort: Effort): Promise<Costs[]> {
  const turns = await inTurns(namesIn(effort), effort.starts + 1, async (name) => {
    const began = performance.now()
    const server = await start(name, effort)
    await send(server, { method: 'GET', path: '/v1/checkouts' })
    const cost = { ms: performance.now() - began, cpuMs: server.cpuMs() }
    await server.stop()
    return cost
  })
  // Skip the first turn, which also loads the files into the system's cache and the HTTP client into this process.
  return turns.slice(1)
}

/** Every server counts requests for its rate limit, which is too high to refuse any. */
function start(name: Name, { beside }: Effort, folder?: string): Promise<Server> {
  if (name === 'base') return startFloor(...(folder ? [join(folder, 'floor.sqlite')] : []))
  const kept = folder ? ['--data', join(folder, name), '--durability', 'commit'] : []
  return startBuild(name === 'beside' ? beside! : DIST, '--rate-limit', '1000000000', ...kept)
}
