/** What many sandboxes and large ones cost: to make, to hold, and to the others while a tester asks about them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheckout } from './checkout.ts'
import {
  type Effort,
  type Measure,
  requestText,
  sender,
  shareOf,
  slowest99Of,
  startClient,
} from './measure.ts'
import { type Server, startPaysim } from './server.ts'

/** Ready for the next rows that ask for it: it takes a while to fill one. */
const shared = <Made>(make: (effort: Effort) => Promise<Made>) => {
  let made: Promise<Made> | undefined
  return (effort: Effort) => (made ??= make(effort))
}

/** One row after another asks about the same sandboxes. */
const idle = shared(async ({ smaller }: Effort) => {
  const count = 10_000 / smaller
  const server = await startPaysim()
  await createSandboxes(server, 10)
  const [kilobytes, cpu] = [server.memoryMb() * 1024, server.cpuMs()]
  await createSandboxes(server, count)
  return {
    server,
    count,
    cpuMsEach: (server.cpuMs() - cpu) / count,
    kilobytesEach: (server.memoryMb() * 1024 - kilobytes) / count,
  }
})

export const creation: Measure = async (effort) => {
  const { cpuMsEach, count } = await idle(effort)
  return { samples: [cpuMsEach], unit: 'ms of CPU', detail: `${count} over HTTP` }
}

export const memoryEach: Measure = async (effort) => {
  const { kilobytesEach, count } = await idle(effort)
  return { samples: [kilobytesEach], unit: 'KB', detail: `${count} of them` }
}

/** The 99th percentile of a POST beside many sandboxes, against that of one. */
export const besideMany: Measure = async (effort) => {
  const { server, count } = await idle(effort)
  const alone = await startPaysim()
  const asked = (server: Server) => ({ server, request: requestText(createCheckout), status: 201 })
  const { detail, ...measured } = await slowest99Of({ with: asked(server), without: asked(alone) }, effort)
  await alone.stop()
  return { ...measured, unit: 'times one', detail: `beside ${count} sandboxes ${detail}` }
}

/** Work of one sandbox shares a commit, work of many shares none, and the data of many does not fit into a processor's cache. */
export const oneOfMany =
  (count: number): Measure =>
  async (effort) => {
    const [single, many] = [await startPaysim(), await startPaysim()]
    const keys: string[] = []
    for (let n = 0; n < count; n += 1) {
      const { text } = await sender(many)({ method: 'POST', path: '/_sim/sandboxes', body: {} })
      keys.push(JSON.parse(text).apiKey)
    }
    const asked = { server: many, request: keys.map((key) => requestText(createCheckout, key)), status: 201 }
    const alone = { server: single, request: requestText(createCheckout), status: 201 }
    try {
      return { ...(await shareOf({ with: asked, without: alone }, effort)), unit: 'of one' }
    } finally {
      await Promise.all([single.stop(), many.stop()])
    }
  }

/** A folder with many kept sandboxes, as flags. */
export async function keptSandboxes({ smaller }: Effort): Promise<string[]> {
  const data = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
  process.once('exit', () => rmSync(data, { recursive: true, force: true }))
  const flags = ['--data', data, '--durability', 'process']
  const server = await startPaysim(...flags)
  await createSandboxes(server, 1_000 / smaller)
  await server.stop('SIGTERM')
  return flags
}

const large = shared(async ({ smaller }: Effort) => {
  const server = await startPaysim('--memory', '64')
  await createSandboxes(server, 3_000 / smaller)
  const client = startClient()
  const asked = { server, request: requestText(createCheckout), status: 201 }
  for (let left = 300_000 / smaller; left > 0; ) left -= (await client.load(asked, 1000)).perSecond
  return { server, client }
})

const healthz = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** The slowest answer of `/healthz`, asked without a pause, while a tester or a platform asks these. */
export const block =
  (...paths: string[]): Measure =>
  async (effort) => {
    const { server, client } = await large(effort)
    const send = sender(server)
    const slowest = async (path: string) => {
      const asking = client.load({ server, request: healthz, status: 200 }, 500, 1)
      const { status, text } = await send({ method: 'GET', path })
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
      return (await asking).slowestMs
    }
    const blocks: { path: string; ms: number }[] = []
    for (const path of paths) {
      // The first time also loads the code of a page; of the others the least has the least of the machine's own noise.
      const times: number[] = []
      for (let round = 0; round <= effort.rounds; round++) times.push(await slowest(path))
      blocks.push({ path, ms: Math.min(...times.slice(1)) })
    }
    const worst = blocks.reduce((one, other) => (other.ms > one.ms ? other : one))
    return { samples: [worst.ms], unit: 'ms', detail: `the longest is ${worst.path}` }
  }

async function createSandboxes(server: Server, count: number): Promise<void> {
  const send = sender(server)
  for (let made = 0; made < count; made += 1) {
    const { status, text } = await send({ method: 'POST', path: '/_sim/sandboxes', body: {} })
    if (status !== 201) throw new Error(text)
  }
}
