/**
 * What a large kept sandbox takes of memory while it is copied: `node test/bench/built/large-sandbox.js [megabytes]`, 512
 * unless it is said otherwise. Files are copied to files, so the process must not grow with the sandbox.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startPaysim } from './server.ts'

const megabytes = Number(process.argv[2] ?? 512)
const data = mkdtempSync(join(tmpdir(), 'paysim-large-'))
process.once('exit', () => rmSync(data, { recursive: true, force: true }))
const start = () => startPaysim('--data', join(data, 'kept'), '--durability', 'process', '--memory', '16')

/** What a request carries is kept with its key. */
const NOTE = 'x'.repeat(95_000)
let paysim = await start()
for (let sent = 0; sent < megabytes * 1024 ** 2; sent += NOTE.length) {
  await ask('POST', '/v1/customers', JSON.stringify({ externalId: `c-${sent}`, note: NOTE }), {
    'content-type': 'application/json',
    'idempotency-key': `k-${sent}`,
  })
}
await paysim.stop('SIGTERM')
paysim = await start()
const file = join(data, 'downloaded.sqlite')
console.log(
  `${Math.round(statSync(join(data, 'kept/default.sqlite')).size / 1024 ** 2)} MB kept; ${paysim.memoryMb()} MB after the start`,
)

const json = { 'content-type': 'application/json' }
await measured('a list of its customers', () => ask('GET', '/v1/customers'))
await measured('a snapshot', () => ask('POST', '/_sim/snapshots', '{"name":"then"}', json))
await measured('a snapshot over it', () => ask('POST', '/_sim/snapshots', '{"name":"then"}', json))
await measured('a restored snapshot', () => ask('POST', '/_sim/snapshots/then/restore'))
await measured('a fork', () =>
  ask('POST', '/_sim/sandboxes', '{"name":"fork","apiKey":"k1","from":"default"}', json),
)
await measured('a fork of a snapshot', () =>
  ask(
    'POST',
    '/_sim/sandboxes',
    '{"name":"then","apiKey":"k2","from":{"sandbox":"default","snapshot":"then"}}',
    json,
  ),
)
await measured('a download', async () => {
  const answer = await fetch(`${paysim.url}/_sim/snapshots/then`)
  if (!answer.ok) throw new Error(await answer.text())
  await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
})
await measured('an upload', () =>
  ask('PUT', '/_sim/snapshots/uploaded', Readable.toWeb(createReadStream(file)) as never, {
    'content-type': 'application/vnd.sqlite3',
    'content-length': String(statSync(file).size),
  }),
)
await measured('a restored upload', () => ask('POST', '/_sim/snapshots/uploaded/restore'))
await measured('a reset', () => ask('POST', '/_sim/reset', '{}', json))
await paysim.stop('SIGTERM')

async function measured(what: string, step: () => Promise<void>): Promise<void> {
  paysim.peakMb()
  const before = paysim.memoryMb()
  const began = performance.now()
  const failed = await step().then(
    () => '',
    (cause: Error) => `; FAILED: ${cause.message.slice(0, 200)}`,
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${what.padEnd(24)} ${seconds.padStart(6)} s, from ${before} MB to ${paysim.peakMb()} MB at most${failed}`,
  )
}

async function ask(
  method: string,
  path: string,
  body?: string | ReadableStream,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${paysim.url}${path}`, {
    method,
    headers: { 'x-api-key': 'sk_staging_default', ...headers },
    ...(body !== undefined && { body, duplex: 'half' }),
  } as RequestInit)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
}
