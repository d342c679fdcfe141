import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startOwn } from './own.ts'
import { folderOf, play } from './playing.ts'
import { KEY, service } from './service.ts'

const FILES = {
  'a.yaml': 'name: It <works>\nsteps:\n  - call: GET /v1/a\n  - ledger: { refunds: 1 }\n',
  'b.yaml':
    'name: It fails\nsteps:\n  - { id: x, call: POST /v1/a, key: k, json: { a: 1 }, expect: { status: 200, json: { a: "\\u0001<" } } }\n  - call: GET /v1/a\n',
  'c.yaml': 'name: It needs more\nbehaviors: [{ do: { fault: reset } }]\nsteps: [{ call: GET /v1/a }]\n',
}

async function reported() {
  const { url } = await service(({ headers }) => ({ status: 200, json: { a: headers['x-api-key'] } }))
  const folder = await folderOf({})
  const reports = [`junit=${join(folder, 'junit.xml')}`, `json=${join(folder, 'report.json')}`]
  const { code, folder: files } = await play(FILES, { target: url, apiKey: KEY, reports })
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).replaceAll(files, '.')
  return { code, junit: await read('junit.xml'), json: JSON.parse(await read('report.json')) }
}

test('a JUnit report has a suite for each file and a case for each step', async () => {
  const { code, junit } = await reported()
  expect(code).toBe(1)
  expect(junit.replace(/ (time|timestamp)="[\d.:TZ-]+"/g, '')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="It &lt;works&gt;" tests="2" failures="0" errors="0" skipped="1">
    <testcase classname="a" name="1 GET /v1/a" file="a.yaml"></testcase>
    <testcase classname="a" name="2 ledger" file="a.yaml"><skipped message="only a tester sees the ledger"/></testcase>
  </testsuite>
  <testsuite name="It fails" tests="2" failures="1" errors="0" skipped="1">
    <testcase classname="b" name="1 POST /v1/a" file="b.yaml"><failure type="difference" message="$.a: expected &quot;\\u0001&lt;&quot;, received &quot;••••&quot;">$.a: expected &quot;\\u0001&lt;&quot;, received &quot;••••&quot;</failure></testcase>
    <testcase classname="b" name="1 more step" file="b.yaml"><skipped message="not played"/></testcase>
  </testsuite>
  <testsuite name="It needs more" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="c" name="It needs more" file="c.yaml"><skipped message="it needs behaviors, which only the tester&#39;s API can give"/></testcase>
  </testsuite>
</testsuites>
`)
})

test('a JSON report holds what was sent, expected and received, but no key', async () => {
  const { json } = await reported()
  expect(json.files.map(({ file, outcome }: { file: string; outcome: string }) => [file, outcome])).toEqual([
    ['./a.yaml', 'passed'],
    ['./b.yaml', 'failed'],
    ['./c.yaml', 'skipped'],
  ])
  expect(json.files[1].steps[0]).toMatchObject({
    place: '1',
    id: 'x',
    label: 'POST /v1/a',
    outcome: 'failed',
    request: 'POST /v1/a\nx-api-key: ••••\ncontent-type: application/json\nidempotency-key: k\n{"a":1}',
    received: [{ connection: 'answered', status: 200, body: '{"a":"••••"}' }],
    differences: [{ path: '$.a', received: '"••••"' }],
  })
  expect(JSON.stringify(json)).not.toContain(KEY)
})

test('a behavior that never acted fails its file, in every report, unless it is optional', async () => {
  const file = (optional: boolean) =>
    `name: n\nbehaviors: [{ id: b, optional: ${optional}, when: { op: refunds.create }, do: { respond: { status: 500 } } }]\nsteps: [{ call: GET /v1/refunds }]\n`
  const folder = await folderOf({})
  const reports = [`junit=${join(folder, 'junit.xml')}`, `json=${join(folder, 'report.json')}`]
  const { code, out } = await play({ 'a.yaml': file(false), 'b.yaml': file(true) }, { reports }, { startOwn })
  expect(code).toBe(1)
  expect(out).toMatch(/a\.yaml +1\/1 {2}failed: the behavior b never acted/)
  expect(out).toMatch(/b\.yaml +1\/1 {2}passed/)
  expect(out).toContain('      req_1 GET /v1/refunds → 200: op is refunds.list, not refunds.create.')
  const junit = await readFile(join(folder, 'junit.xml'), 'utf8')
  expect(junit).toContain('tests="2" failures="1"')
  expect(junit).toMatch(
    /name="the behavior b acts" file="a.yaml" time="0.000"><failure type="unfired-behavior" message="The behavior b never acted; /,
  )
  const [first, second] = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')).files
  expect([first.outcome, first.unfired]).toEqual([
    'failed',
    [{ id: 'b', why: expect.stringContaining('op is refunds.list') }],
  ])
  expect([second.outcome, second.unfired]).toEqual(['passed', []])
})

test('a report that cannot be written is a sentence, and without its folder nothing is played', async () => {
  const { url, asked } = await service(() => ({ status: 200 }))
  const reported = (file: string) => play(FILES, { target: url, apiKey: KEY, reports: [`json=${file}`] })
  expect(await reported('/nowhere/at/all.json')).toMatchObject({
    code: 2,
    out: '',
    err: 'The report /nowhere/at/all.json cannot be written: there is no folder /nowhere/at.',
  })
  expect(asked).toEqual([])
  const { code, err } = await reported('/')
  expect(err).toMatch(/^The report cannot be written: EISDIR/)
  expect(code).toBe(2)
})

test('in GitHub Actions each failure is annotated at the line of its step', async () => {
  const { url } = await service(() => ({ status: 200, json: {} }))
  const files = {
    'a.yaml':
      'name: "100%: a, b"\n\nsteps:\n  - call: GET /v1/a\n  - call: GET /v1/b\n    expect: { status: 404, json: { x: 1 } }\n',
    'b.yaml': 'name: 1\n',
  }
  const options = { target: url, apiKey: KEY }
  const { out, folder } = await play(files, options, { env: { GITHUB_ACTIONS: 'true' } })
  const found = out.split('\n').filter((line) => line.startsWith('::'))
  expect(found.map((line) => line.replace(/file=[^,]*\//, 'file='))).toEqual([
    expect.stringMatching(/^::error file=b\.yaml,line=1,title=.*b\.yaml::.*name must be a text, not 1$/),
    '::error file=a.yaml,line=5,title=100%25%3A a%2C b::step 2, GET /v1/b%0Astatus: expected 404, received 200%0A$.x: expected 1, received nothing',
  ])
  const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder }
  expect((await play(files, options, { env })).out).toMatch(/^::error file=[^/]*.*a\.yaml,line=5/m)
  expect((await play(files, options)).out).not.toContain('::error')
})
