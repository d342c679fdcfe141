/** `paysim run`: selection of files, their order, and their seed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findScenarios } from '../../src/sandbox/scenario-file/files.ts'
import { folderOf, play } from './playing.ts'
import { KEY, service } from './service.ts'

const file = (name: string, more = '') => `name: ${name}\n${more}\nsteps: [{ call: GET /v1/${name} }]\n`

/** The summary's line for each file. */
const verdicts = (out: string) => out.split('\n').filter((line) => /^ {2}\.\/\w+\.yaml/.test(line))

async function target() {
  const { url, asked } = await service(() => ({ status: 200, json: {} }))
  return { asked, options: { target: url, apiKey: KEY } }
}

describe('tags', () => {
  const files = {
    'a.yaml': file('a', 'tags: [refunds, slow]'),
    'b.yaml': file('b', 'tags: [refunds]'),
    'c.yaml': file('c'),
  }

  test.each([
    [['refunds'], 'a b'],
    [['slow', 'other'], 'a'],
    [['!slow'], 'b c'],
    [['refunds', '!slow'], 'b'],
    [[], 'a b c'],
  ])('--tag %j plays %s', async (tags, names) => {
    const { asked, options } = await target()
    expect((await play(files, { ...options, tags })).code).toBe(0)
    expect(asked.map((request) => request.target.replace('/v1/', '')).join(' ')).toBe(names)
  })

  test('an unknown tag gets an error that lists the known tags', async () => {
    const { options } = await target()
    const { code, err } = await play(files, { ...options, tags: ['refund'] })
    expect({ code, err }).toEqual({
      code: 2,
      err: 'No scenario fits --tag refund: the tags are refunds, slow.',
    })
  })
})

test('skip and only leave files out, with the reason in the output and the report', async () => {
  const { asked, options } = await target()
  const skipped = { 'a.yaml': file('a', 'skip: waits for a decision'), 'b.yaml': file('b') }
  const { code, out } = await play(skipped, options)
  expect({ code, asked: asked.map((request) => request.target) }).toEqual({ code: 0, asked: ['/v1/b'] })
  expect(out).toContain('./a.yaml  a\n  skipped: waits for a decision\n')
  expect(verdicts(out)).toEqual([
    '  ./a.yaml     0/1  skipped: waits for a decision',
    '  ./b.yaml     1/1  passed',
  ])

  const only = { ...skipped, 'c.yaml': file('c', 'only: being written') }
  expect(verdicts((await play(only, options)).out)).toEqual([
    '  ./a.yaml     0/1  skipped: waits for a decision',
    '  ./b.yaml     0/1  skipped: only ./c.yaml is played now: being written',
    '  ./c.yaml     1/1  passed',
  ])
  expect(asked.map((request) => request.target)).toEqual(['/v1/b', '/v1/c'])
})

test('a folder stands for the scenarios in it, at any depth', async () => {
  const folder = await folderOf({ 'refund-slow.yaml': '', 'refund-late.yml': '', 'refund.md': '' })
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
  writeFileSync(join(folder, 'deep', 'er', 'refund-deep.yaml'), '')
  const found = (await findScenarios([folder])).map((path) => path.slice(folder.length + 1))
  expect(found).toEqual(['deep/er/refund-deep.yaml', 'refund-late.yml', 'refund-slow.yaml'])
  await expect(findScenarios([join(folder, 'nothing')])).rejects.toThrow('file or folder not found')
})

describe('parallel files', () => {
  const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.yaml`, file(name)]))

  test('run up to the given number, and are printed in file order', async () => {
    let open = 0
    let most = 0
    const waiting: (() => void)[] = []
    const { playAgainst } = await service(async () => {
      open += 1
      most = Math.max(most, open)
      // The first response waits for the third request, so that the first file ends last.
      if (waiting.length < 2) await new Promise<void>((resolve) => waiting.push(resolve))
      else for (const go of waiting) go()
      open -= 1
      return { status: 200, json: {} }
    })
    const { code, out } = await playAgainst(files, { jobs: 3 })
    expect({ code, most }).toEqual({ code: 0, most: 3 })
    expect(out.match(/^\.\/\w\.yaml/gm)).toEqual(Object.keys(files).map((name) => `./${name}`))
    expect(out).toMatch(/^\.\/a\.yaml {2}a\n {2}✓ 1\/1 {3}GET \/v1\/a → 200\n\n\.\/b\.yaml/)
  })

  test('start no new file after a failure with --bail', async () => {
    const { playAgainst, asked } = await service(() => ({ status: 500, json: {} }))
    const { code } = await playAgainst(files, { jobs: 2, bail: true })
    expect([code, asked.length]).toEqual([1, 2])
  })
})

describe('seeds', () => {
  const failing = `name: n\nsteps: [{ call: POST /v1/customers, json: { externalId: "\${uuid:a}" }, expect: { status: 404 } }]\n`
  const idOf = (out: string) => /"id": "(cus_\w+)"/.exec(out)?.[1]

  test('a failure prints the seed that reproduces it', async () => {
    const first = await play(failing)
    const seed = Number(/to repeat the run: paysim run \.\/it\.yaml --seed (\d+)$/m.exec(first.out)?.[1])
    const again = await play(failing, { seed })
    expect(idOf(again.out)).toBe(idOf(first.out))
    expect(idOf((await play(failing, { seed: seed + 1 })).out)).not.toBe(idOf(first.out))
  })

  test('a seed in the file takes precedence', async () => {
    const stated = `sandbox: { seed: 7 }\n${failing}`
    const [a, b] = [await play(stated, { seed: 1 }), await play(stated)]
    expect(idOf(a.out)).toBe(idOf(b.out))
    expect(a.out).not.toContain('--seed')
  })
})
