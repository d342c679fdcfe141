/** `paysim run --watch`: which files run again, and the remaining output on the screen. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { playCommand } from '../../src/tools/player/command.ts'
import { openServer } from '../served.ts'
import { folderOf } from './playing.ts'
import { KEY, service } from './service.ts'

const expecting = (name: string, status: number) =>
  `name: ${name}\nsteps: [{ call: GET /v1/${name}, expect: { status: ${status} } }]\n`

/** A watch with rounds that each end with a "Watching" line. */
async function watched(files: Record<string, string>, paths = ['.'], target?: string) {
  const folder = await folderOf(files)
  const { url, asked } = await service(() => ({ status: 200, json: {} }))
  const stopped = new AbortController()
  let lines: string[] = []
  let cleared = 0
  let ended: (text: string) => void = () => {}
  let round = new Promise<string>((resolve) => {
    ended = resolve
  })
  const code = playCommand(
    {
      paths: paths.map((path) => join(folder, path)),
      ...{ target: target ?? url, apiKey: KEY, watch: true, tags: [], reports: [] },
    },
    {
      out(line) {
        lines.push(line)
        if (!line.includes('Watching')) return
        const text = lines.join('\n').replaceAll(`${folder}/`, '')
        lines = []
        ended(text)
      },
      err: (line) => lines.push(line),
      color: false,
      env: {},
      clear: () => {
        cleared += 1
      },
      stopped: stopped.signal,
      startOwn: () => Promise.reject(new Error('this test starts none')),
    },
  )
  onTestFinished(() => stopped.abort())
  return {
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    remove: (name: string) => rmSync(join(folder, name)),
    async round() {
      const text = await round
      round = new Promise((resolve) => {
        ended = resolve
      })
      return { text, asked: asked.splice(0).map(({ target }) => target), cleared }
    },
    async stop() {
      stopped.abort()
      return await code
    },
  }
}

test('all files run again when one changes, appears, becomes invalid or is removed', async () => {
  const { write, remove, round, stop } = await watched({
    'a.yaml': expecting('a', 404),
    'b.yaml': expecting('b', 200),
  })
  const first = await round()
  expect([first.asked, first.cleared]).toEqual([['/v1/a', '/v1/b'], 0])
  expect(first.text).toContain('1 passed, 1 failed')

  write('b.yaml', expecting('b', 201))
  const second = await round()
  expect([second.asked, second.cleared]).toEqual([['/v1/a', '/v1/b'], 1])
  expect(second.text).toContain('2 failed')

  write('c.yaml', expecting('c', 200))
  expect((await round()).asked).toEqual(['/v1/a', '/v1/b', '/v1/c'])

  write('a.yaml', 'name: 1\n')
  const wrong = await round()
  expect(wrong.text).toContain('a.yaml:1:7: name must be a text')
  expect(wrong.asked).toEqual(['/v1/b', '/v1/c'])

  remove('b.yaml')
  expect((await round()).text).not.toContain('expected 201')
  expect(await stop()).toBe(2)
})

test('files that a played file uses are watched in their place, even while they have a mistake', async () => {
  const setups = (target: string) => `name: s\nsetups: { get: { steps: [{ call: GET /v1/${target} }] } }\n`
  const { write, round, stop } = await watched(
    {
      'a.yaml': 'name: a\nsteps:\n  - use: "between.yaml#get"\n',
      'between.yaml': 'name: b\nsetups: { get: { steps: [{ use: setups.yaml#get }] } }\n',
      'setups.yaml': setups('x'),
    },
    ['a.yaml'],
  )
  expect((await round()).asked).toEqual(['/v1/x'])
  write('setups.yaml', setups('y'))
  expect((await round()).asked).toEqual(['/v1/y'])
  write('setups.yaml', setups('z').replace('call', 'cal'))
  const wrong = await round()
  expect([wrong.asked, wrong.text]).toEqual([
    [],
    expect.stringContaining('setups.yaml:2:28: setups.get.steps[0].cal is unknown; did you mean call?'),
  ])
  write('setups.yaml', setups('z'))
  expect((await round()).asked).toEqual(['/v1/z'])
  expect(await stop()).toBe(0)
})

test('the watch goes on while its target is unreachable', async () => {
  const target = await openServer((_, response) => response.end('{}'))
  const { write, round, stop } = await watched({ 'a.yaml': expecting('a', 200) }, ['.'], target.url)
  expect((await round()).text).toContain('1 passed')
  await target.close()
  for (const name of ['b', 'c']) {
    write('a.yaml', expecting(name, 200))
    expect((await round()).text).toContain(`${target.url} cannot be reached: ECONNREFUSED`)
  }
  expect(await stop()).toBe(1)
})
