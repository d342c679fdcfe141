/** The receivers of docs/webhooks.md, unchanged: each starts and gets an A from `paysim grade`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf } from '../documents/blocks.ts'
import { freePort } from '../free-port.ts'
import { folder } from '../given.ts'
import { linkPackages } from '../package/linked.ts'
import { runPaysim } from '../process/paysim.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

const files = new Map(
  blocksOf('docs/webhooks.md').flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]])),
)

/** Replaces the page's `handle.js`: counts the events and serves the probe of `paysim grade`. */
const COUNTING = `
  import { createServer } from 'node:http'
  let handled = 0
  const probe = createServer((request, response) => response.end(String(handled)))
  probe.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + probe.address().port))
  export async function handle(event) { handled += 1 }
`

/** Starts a receiver on a free port; resolves with the address of its probe once both listen. */
async function start(file: string) {
  const project = folder()
  linkPackages(project, 'paysim', 'express', 'fastify', 'hono', '@hono/node-server')
  const port = await freePort()
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  for (const [name, code] of files) writeFileSync(join(project, name), code.replaceAll('3000', String(port)))
  writeFileSync(join(project, 'handle.js'), COUNTING)

  const child = spawn(process.execPath, [file], {
    cwd: project,
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [probe] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  // The probe may be listening before the receiver is.
  await listening(port)
  return { url: `http://localhost:${port}/webhooks`, probe: probe.trim() }
}

/** Reconnects until the port accepts; the timeout of the test covers a receiver that never does. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, 'localhost')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
  }
}

const receivers = [...files.keys()].filter((file) => !['receive.js', 'handle.js'].includes(file))

test('the page has four receivers', () => {
  expect(receivers).toEqual(['express.js', 'fastify.js', 'hono.js', 'node.js'])
})

// Concurrent, because a grade mostly waits for its slow connection.
test('each gets an A, with a probe that counts each event once, and fails without the raw body', async () => {
  const raw = "express.raw({ type: '*/*', limit: '1mb' })"
  expect(files.get('express.js')).toContain(raw)
  files.set('parsed.js', files.get('express.js')!.replace(raw, 'express.json()'))
  const grades = await Promise.all(
    [...receivers, 'parsed.js'].map(async (file) => {
      const { url, probe } = await start(file)
      const { stdout } = await runPaysim(['grade', url, '--secret', SECRET, '--probe', probe])
      return [file, /^Grade (\w)/m.exec(stdout)?.[1]]
    }),
  )
  expect(Object.fromEntries(grades)).toEqual({
    'express.js': 'A',
    'fastify.js': 'A',
    'hono.js': 'A',
    'node.js': 'A',
    'parsed.js': 'F',
  })
})
