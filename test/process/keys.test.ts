/** The keys of `paysim start`, pressed at a pseudo-terminal that script(1) of util-linux makes. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'

const COMMAND = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** `paysim start` at a terminal, in the foreground or not. */
function atTerminal(command: string, path = '') {
  const env = { ...process.env, PATH: `${path}:${process.env.PATH}` }
  const child = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exited = once(child, 'close').then(([code]) => code as number)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return {
    exited,
    press: (key: string) => child.stdin.write(key),
    async saying(pattern: RegExp): Promise<string> {
      while (!pattern.test(said)) await once(child.stdout, 'data')
      return pattern.exec(said)![1] ?? ''
    },
  }
}

/** A folder for PATH with an xdg-open that writes the address into a pipe. */
function openBrowserPath() {
  const path = folder()
  const pipe = join(path, 'opened')
  execFileSync('mkfifo', [pipe])
  writeFileSync(join(path, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${pipe}\n`, { mode: 0o755 })
  return { path, opened: () => readFile(pipe, 'utf8') }
}

const START = `${process.execPath} ${COMMAND} start --port 0 --log silent`

test('keys open the dashboard, reset, clear the requests, help and quit', async () => {
  const { path, opened } = openBrowserPath()
  const { press, saying, exited } = atTerminal(START, path)
  const url = await saying(/serves on (http:\S+)\s/)
  await saying(/keys {8}h shows them/)
  const read = async (path: string) =>
    ((await (await fetch(`${url}${path}`)).json()) as { data: unknown }).data
  const create = () =>
    fetch(`${url}/v1/checkouts`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    })

  press('h')
  await saying(/ q {2}quit/)
  press('d')
  await saying(new RegExp(`\n${url}/_sim/ui\r`))
  expect(await opened()).toBe(`${url}/_sim/ui`)

  await create()
  press('c')
  await saying(/Its requests are forgotten/)
  expect([await read('/_sim/requests'), await read('/_sim/events')]).toEqual([[], [expect.anything()]])
  press('r')
  await saying(/starts over/)
  expect(await read('/_sim/events')).toEqual([])

  press('q')
  expect(await exited).toBe(0)
})

test('without a browser the address is there to click, and Ctrl+C still ends it', async () => {
  const { press, saying, exited } = atTerminal(`PATH=/nowhere ${START}`)
  const url = await saying(/serves on (http:\S+)\s/)
  await saying(/keys {8}h shows them/)
  press('d')
  await saying(new RegExp(`\n${url}/_sim/ui\r`))
  press('h')
  await saying(/ q {2}quit/)
  press('\u0003')
  expect(await exited).toBe(0)
})

test('in the background it reads no keys, for which the system would stop it', async () => {
  const { saying, press, exited } = atTerminal(`bash -ic '${START} & echo pid $!; wait'`)
  const url = await saying(/serves on (http:\S+)\s/)
  press('q')
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  process.kill(Number(await saying(/pid (\d+)/)), 'SIGTERM')
  expect(await exited).toBe(0)
})
