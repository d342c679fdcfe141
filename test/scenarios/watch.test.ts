import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { POLL_INTERVAL_MS, watchScenarios } from '../../src/sandbox/behaviors/watch-files.ts'
import type { Environment } from '../../src/spec/environments/environment.ts'
import { Clock } from '../../src/spec/world/clock.ts'

const answering = (status: number | string) =>
  `name: Down\nbehaviors:\n  - { id: down-${status}, do: { respond: { status: ${status} } } }\n`

/** A temporary folder, watched with a frozen clock. */
async function watched(
  files: Record<string, string>,
  path = '.',
  env: Record<string, string> = {},
  environments: readonly Environment[] = ['staging'],
) {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-scenario-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)

  const messages: string[] = []
  let tell = () => {}
  const say = (what: string) => {
    messages.push(what)
    tell()
  }
  const clock = new Clock({ frozenAt: 0, offsetMs: 0 })
  const stopped = new AbortController()
  onTestFinished(() => {
    stopped.abort()
    rmSync(folder, { recursive: true, force: true })
  })
  await watchScenarios({
    path: join(folder, path),
    env,
    clock,
    stopped: stopped.signal,
    environments,
    arm: (behaviors, environment) =>
      say([...(environment === 'staging' ? [] : [environment]), ...behaviors.map(({ id }) => id)].join(' ')),
    rejected: (why) => say(why.replaceAll(`${folder}/`, '')),
  })
  return {
    write,
    remove: (name: string) => rmSync(join(folder, name)),
    messages,
    /** Resolves with the next message, once the files have been read. */
    async next(): Promise<string | undefined> {
      const before = messages.length
      while (clock.alarmCount === 0) await new Promise(setImmediate)
      const said = new Promise<void>((resolve) => {
        tell = resolve
      })
      clock.moveTo(clock.now() + POLL_INTERVAL_MS)
      await said
      return messages[before]
    },
    /** Resolves once the files have been read, even if nothing is reported. */
    async looked(): Promise<void> {
      while (clock.alarmCount === 0) await new Promise(setImmediate)
      clock.moveTo(clock.now() + POLL_INTERVAL_MS)
      while (clock.alarmCount === 0) await new Promise(setImmediate)
    },
  }
}

test('a file is read immediately, and again when it changes', async () => {
  const { write, messages, next, looked } = await watched({ 'a.yaml': answering(500) }, 'a.yaml')
  expect(messages).toEqual(['down-500'])
  await looked()
  expect(messages).toEqual(['down-500'])
  write('a.yaml', answering(503))
  expect(await next()).toBe('down-503')
})

test('a file can be for production, if production is started', async () => {
  const files = {
    'a.yaml': answering(500),
    'b.yaml': `${answering(503)}sandbox: { environment: production }\n`,
  }
  const { messages } = await watched(files, '.', {}, ['staging', 'production'])
  expect(messages).toEqual(['down-500', 'production down-503'])
  await expect(watched(files)).rejects.toThrow(
    /b\.yaml is for production, which is started with --production$/,
  )
})

test('an invalid change is reported once and has no effect until it is corrected', async () => {
  const { write, remove, messages, next, looked } = await watched({ 'a.yaml': answering(500) }, 'a.yaml')
  write('a.yaml', answering('soon'))
  expect(await next()).toBe('a.yaml:3:47: behaviors[0].do.respond.status must be a number, not "soon"')
  await looked()
  remove('a.yaml')
  expect(await next()).toBe('a.yaml:1:1: file or folder not found')
  await looked()
  write('a.yaml', answering(502))
  expect(await next()).toBe('down-502')
  expect(messages).toHaveLength(4)
})

test('a folder means all of its files, including added and removed ones', async () => {
  const { write, remove, messages, next } = await watched({
    'b.yaml': answering(503),
    'a.yaml': answering(500),
    'c.yaml': 'name: Steps alone\nsteps: [{ call: GET /v1/checkouts }]\n',
  })
  expect(messages).toEqual(['down-500 down-503'])
  write('d.yml', answering(504))
  expect(await next()).toBe('down-500 down-503 down-504')
  remove('a.yaml')
  expect(await next()).toBe('down-503 down-504')
})

test('environment variables are substituted', async () => {
  const file = { 'a.yaml': 'name: Env\nbehaviors: [{ id: "${env:WHO}-down", do: { fault: reset } }]\n' }
  expect((await watched(file, '.', { WHO: 'bank' })).messages).toEqual(['bank-down'])
  await expect(watched(file)).rejects.toThrow('the environment variable WHO is not set')
})

test('an invalid file at the start throws', async () => {
  await expect(watched({}, 'nowhere.yaml')).rejects.toThrow('file or folder not found')
  await expect(watched({ 'a.yaml': answering('soon') })).rejects.toThrow('must be a number')
})
