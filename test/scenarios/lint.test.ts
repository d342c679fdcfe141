import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lintCommand, printSchema } from '../../src/sandbox/scenario-file/lint.ts'
import { folder } from '../given.ts'

const GOOD = 'name: n\nsteps:\n  - call: GET /v1/checkouts\n'

async function lint({ paths }: { paths: readonly string[] }) {
  const out: string[] = []
  const err: string[] = []
  const code = await lintCommand(paths, { out: (line) => out.push(line), err: (line) => err.push(line) })
  return { code, out, err }
}

test('files without mistakes pass', async () => {
  const path = folder({ 'a.yaml': GOOD, 'b.yml': GOOD, 'notes.txt': 'x' })
  expect(await lint({ paths: [path, join(path, 'a.yaml')] })).toEqual({
    code: 0,
    out: ['2 scenarios without a mistake'],
    err: [],
  })
})

test('every mistake of every file is one line', async () => {
  const path = folder({ 'a.yaml': `${GOOD}x: 1\n`, 'b.yaml': GOOD, 'c.yaml': 'nam: n\nsteps: []\n' })
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

test('an expected field that the service does not have is a warning', async () => {
  const path = folder({
    'typo.yaml': `name: n
behaviors:
  - { when: { stub: POST /v1/quotes, json: { quote: 1 } }, do: { respond: 200 } }
  - { when: { op: refunds.create, json: { amuont: 1 } }, do: { respond: 503 } }
steps:
  - { call: POST /v1/quotes, json: { quote: 1 }, expect: { json: { quote: 1 } } }
  - { call: GET /v1/customers, expect: { json: { data: { none: { externalID: a } }, nothing: { absent: true } } } }
  - { requests: { op: customers.create, json: { externalId: a, emial: b }, exactly: 0 } }
  - { webhook: { type: customer.created, data: { externalId: a, externalid: a }, exactly: 0 } }
  - { call: GET /_sim/clock, expect: { json: { frozen: false } } }
`,
  })
  expect(await lint({ paths: ['scenarios'] })).toMatchObject({ code: 0, err: [] })
  const { code, err } = await lint({ paths: [path] })
  expect(code).toBe(0)
  expect(err.map((line) => line.replace(/^.*: warning: /, ''))).toEqual([
    'behaviors[1].when.json.amuont is not a field of the service; did you mean amount?',
    'steps[1].expect.json.data.none.externalID is not a field of the service; did you mean externalId?',
    'steps[1].expect.json.nothing is not a field of the service',
    'steps[2].requests.json.emial is not a field of the service; did you mean email?',
    'steps[3].webhook.data.externalid is not a field of the service; did you mean externalId?',
  ])
})

test('a field that the file adds by its profile is not a warning, and neither is a key of a map', async () => {
  const path = folder({
    'added.yaml': `name: n
sandbox:
  profile: { add: { checkout: { poNumber: { type: text }, labels: { type: map } } } }
steps:
  - call: GET /v1/checkouts/chk_1
    expect: { json: { poNumber: PO-7, labels: { channel: web }, ponumber: { absent: true } } }
`,
  })
  const { err } = await lint({ paths: [path] })
  expect(err.map((line) => line.replace(/^.*: warning: /, ''))).toEqual([
    'steps[0].expect.json.ponumber is not a field of the service; did you mean poNumber?',
  ])
})

test('a path without a file is reported', async () => {
  const path = folder({})
  expect(await lint({ paths: [path] })).toMatchObject({
    code: 2,
    err: [`${path}:1:1: no scenarios in this folder`],
  })
  expect(await lint({ paths: ['nowhere.yaml'] })).toMatchObject({
    code: 2,
    err: ['nowhere.yaml:1:1: file or folder not found'],
  })
})

test('the JSON schema describes the format', async () => {
  const out: string[] = []
  printSchema({ out: (line) => out.push(line) })
  const schema = JSON.parse(out.join('\n'))
  expect(Object.keys(schema.properties)).toEqual([
    ...['$schema', 'name', 'why', 'tags', 'only', 'skip', 'target'],
    ...['sandbox', 'behaviors', 'cases', 'setups', 'steps'],
  ])
  expect(schema.required).toEqual(['name'])
  expect(schema.definitions.Duration.description).toBeDefined()
})
