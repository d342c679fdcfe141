import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lintCommand } from '../../src/sandbox/scenario-file/lint.ts'

const GOOD = 'name: n\nsteps:\n  - call: GET /v1/checkouts\n'

async function folder(files: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'scenarios-'))
  onTestFinished(() => rm(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return path
}

async function lint(options: Parameters<typeof lintCommand>[0]) {
  const out: string[] = []
  const err: string[] = []
  const code = await lintCommand(options, { out: (line) => out.push(line), err: (line) => err.push(line) })
  return { code, out, err }
}

test('files without a mistake', async () => {
  const path = await folder({ 'a.yaml': GOOD, 'b.yml': GOOD, 'notes.txt': 'x' })
  expect(await lint({ paths: [path, join(path, 'a.yaml')] })).toEqual({
    code: 0,
    out: ['2 scenarios without a mistake'],
    err: [],
  })
})

test('every mistake of every file is a line', async () => {
  const path = await folder({ 'a.yaml': `${GOOD}x: 1\n`, 'b.yaml': GOOD, 'c.yaml': 'nam: n\nsteps: []\n' })
  expect(await lint({ paths: [path] })).toEqual({
    code: 2,
    out: ['3 mistakes in 2 files'],
    err: [
      `${path}/a.yaml:4:1: x is unknown; known here: $schema, name, why, tags, only, skip, target, sandbox, behaviors, cases, setups, steps`,
      `${path}/c.yaml:1:1: name is missing`,
      `${path}/c.yaml:1:1: nam is unknown; did you mean name?`,
    ],
  })
})

test('a path without a file', async () => {
  const path = await folder({})
  expect(await lint({ paths: [path] })).toMatchObject({
    code: 2,
    err: [`${path}:1:1: there is no scenario in this folder`],
  })
  expect(await lint({ paths: ['nowhere.yaml'] })).toMatchObject({
    code: 2,
    err: ['nowhere.yaml:1:1: there is no such file or folder'],
  })
})

test('the JSON Schema describes the format', async () => {
  const { code, out } = await lint({ paths: [], schema: true })
  const schema = JSON.parse(out.join('\n'))
  expect(code).toBe(0)
  expect(Object.keys(schema.properties)).toEqual([
    ...['$schema', 'name', 'why', 'tags', 'only', 'skip', 'target'],
    ...['sandbox', 'behaviors', 'cases', 'setups', 'steps'],
  ])
  expect(schema.required).toEqual(['name'])
  expect(schema.definitions.Duration.description).toBeDefined()
})
