import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, play } from './playing.ts'
import { KEY, service } from './service.ts'

const FILES = {
  'a.yaml': 'name: It <works>\nsteps:\n  - call: GET /v1/a\n  - ledger: { refunds: 1 }\n',
  'b.yaml':
    'name: It fails\nsteps:\n  - { id: x, call: POST /v1/a, key: k, json: { a: 1 }, expect: { status: 200, json: { a: "\\u0001<" } } }\n  - call: GET /v1/a\n',
  'c.yaml': 'name: It needs more\nbehaviors: [{ do: { fault: reset } }]\nsteps: [{ call: GET /v1/a }]\n',
}

async function reported() {
  const { playAgainst } = await service(({ headers }) => ({ status: 200, json: { a: headers['x-api-key'] } }))
  const folder = await folderOf({})
  const reports = [`junit=${join(folder, 'junit.xml')}`, `json=${join(folder, 'report.json')}`]
  const { code, folder: files } = await playAgainst(FILES, { reports })
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
    <testcase classname="a" name="2 ledger" file="a.yaml"><skipped message="only a tester can see the ledger"/></testcase>
    <system-out>1 of 2 steps was skipped</system-out>
  </testsuite>
  <testsuite name="It fails" tests="2" failures="1" errors="0" skipped="1">
    <testcase classname="b" name="1 POST /v1/a" file="b.yaml"><failure type="difference" message="$.a: expected &quot;\\u0001&lt;&quot;, received &quot;••••&quot;">$.a: expected &quot;\\u0001&lt;&quot;, received &quot;••••&quot;</failure></testcase>
    <testcase classname="b" name="1 more step" file="b.yaml"><skipped message="not played"/></testcase>
  </testsuite>
  <testsuite name="It needs more" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="c" name="It needs more" file="c.yaml"><skipped message="it needs behaviors, which requires the tester&#39;s API"/></testcase>
  </testsuite>
</testsuites>
`)
})

test('a failure inside an each or a use is one JUnit failure, with its item', async () => {
  const { playAgainst } = await service(({ target }) => ({ status: target === '/v1/b' ? 404 : 200 }))
  const folder = await folderOf({})
  const reports = [`junit=${join(folder, 'junit.xml')}`]
  const file = `name: n
setups: { asked: { values: { of: null }, steps: [{ call: "GET /v1/\${of}" }] } }
steps: [{ each: [a, b], steps: [{ use: asked, with: { of: "\${item}" } }] }]
`
  await playAgainst(file, { reports })
  const junit = await readFile(join(folder, 'junit.xml'), 'utf8')
  expect(junit).toContain('tests="1" failures="1"')
  expect(junit).toContain('name="1.2.1 GET /v1/b, with the item &quot;b&quot;"')
})

test('a JSON report has the sent, expected and received values, but no key', async () => {
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

test('every report counts skipped steps of a passed file', async () => {
  const { playAgainst, asked } = await service(() => ({ status: 200, json: { id: 'a' } }))
  const folder = await folderOf({})
  const page = join(folder, 'page.html')
  const reports = [
    `junit=${join(folder, 'junit.xml')}`,
    `json=${join(folder, 'report.json')}`,
    `html=${page}`,
  ]
  const needsSkipped = '{ call: "GET /v1/a/${id}" }'
  const { code, out } = await playAgainst(
    {
      'most.yaml': `name: Most
steps:
  - { sim: { approve: chk_1 }, capture: { id: $.id } }
  - each: 1..2
    steps: [${needsSkipped}]
  - parallel: { steps: [${needsSkipped}, ${needsSkipped}] }
    expect: { status: { 200: 2 } }
  - each: 1..2
    steps: [${needsSkipped}, { call: GET /v1/b }]
`,
      'none.yaml': `name: None
steps:
  - { sim: { approve: chk_1 }, capture: { id: $.id } }
  - ${needsSkipped}
`,
      'whole.yaml': 'name: Whole\nsteps: [{ call: GET /v1/c }]\n',
    },
    { reports },
  )
  expect(code).toBe(0)
  expect(asked.map(({ target }) => target).sort()).toEqual(['/v1/b', '/v1/b', '/v1/c'])
  expect(out).toMatch(/most\.yaml +1\/4 {2}passed, 7 of 9 steps were skipped$/m)
  expect(out).toMatch(/none\.yaml +0\/2 {2}skipped: no step was played: only a tester can do that$/m)
  expect(out).toMatch(/^ {2}2 passed \(7 of 10 steps were skipped\), 1 skipped$/m)
  const junit = await readFile(join(folder, 'junit.xml'), 'utf8')
  expect(junit).toMatch(/name="2 each of 1\.\.2" [^>]*><skipped message="it needs \$\{id\}/)
  expect(junit).toMatch(/name="3 2 steps in parallel" [^>]*><skipped /)
  expect(junit).toMatch(/name="4 each of 1\.\.2" [^>]*><\/testcase>/)
  expect(junit).toContain('<system-out>7 of 9 steps were skipped</system-out>')
  expect(junit).toContain('tests="2" failures="0" errors="0" skipped="2"')
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')).files).toMatchObject([
    { name: 'Most', outcome: 'passed', skippedSteps: { count: 7, of: 9 } },
    { name: 'None', outcome: 'skipped', skippedSteps: { count: 2, of: 2 } },
    { name: 'Whole', outcome: 'passed', skippedSteps: { count: 0, of: 1 } },
  ])
  const html = (await readFile(page, 'utf8')).replaceAll(/<[^>]+>/g, '')
  expect(html).toContain('2 passed (7 of 10 steps were skipped), 1 skipped')
  expect(html).toMatch(/most\.yaml, [\d.]+ m?s, 7 of 9 steps were skipped/)
})

test('a behavior that never acted fails its file, in every report, unless it is optional', async () => {
  const file = (optional: boolean) =>
    `name: n\nbehaviors: [{ id: b, optional: ${optional}, when: { op: refunds.create }, do: { respond: { status: 500 } } }]\nsteps: [{ call: GET /v1/refunds }]\n`
  const folder = await folderOf({})
  const reports = [`junit=${join(folder, 'junit.xml')}`, `json=${join(folder, 'report.json')}`]
  const { code, out } = await play({ 'a.yaml': file(false), 'b.yaml': file(true) }, { reports })
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

test('a report that cannot be written gets an error; if its folder is missing, nothing is played', async () => {
  const { playAgainst, asked } = await service(() => ({ status: 200 }))
  const reported = (file: string) => playAgainst(FILES, { reports: [`json=${file}`] })
  expect(await reported('/nowhere/at/all.json')).toMatchObject({
    code: 2,
    out: '',
    err: 'The report /nowhere/at/all.json cannot be written: there is no folder /nowhere/at.',
  })
  expect(await reported('/')).toMatchObject({
    code: 2,
    out: '',
    err: 'The report / cannot be written: it is a folder.',
  })
  expect(asked).toEqual([])
  const { code, err } = await reported('/proc/report.json')
  expect(err).toMatch(/^The report cannot be written: ENOENT/)
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
    '::error file=a.yaml,line=5,title=100%25%3A a%2C b::2 GET /v1/b%0Astatus: expected 404, received 200%0A$.x: expected 1, received nothing',
  ])
  const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder }
  expect((await play(files, options, { env })).out).toMatch(/^::error file=[^/]*.*a\.yaml,line=5/m)
  expect((await play(files, options)).out).not.toContain('::error')
})

test('in GitHub Actions the job summary shows the first failure, and hides keys', async () => {
  const summary = join(await folderOf({}), 'summary.md')
  const { playAgainst } = await service(({ headers }) => ({ status: 200, json: { a: headers['x-api-key'] } }))
  const env = { GITHUB_STEP_SUMMARY: summary }
  await playAgainst(FILES, {}, { env })
  const text = (await readFile(summary, 'utf8')).replaceAll(/\d+ ms/g, '1 ms')
  expect(text).toBe(`## paysim run: 1 of 3 failed

1 passed (1 of 2 steps was skipped), 1 failed, 1 skipped.

| Verdict | What | Why | Time |
| --- | --- | --- | ---: |
| ✗ failed | It fails | 1 POST /v1/a: $.a: expected "\\\\u0001&lt;", received "••••" | 1 ms |

<details><summary>2 more</summary>

| Verdict | What | Why | Time |
| --- | --- | --- | ---: |
| ✓ passed | It &lt;works> |  | 1 ms |
| – skipped | It needs more | it needs behaviors, which requires the tester's API |  |

</details>

`)
})

test('an aliased step has its own line number', async () => {
  const { playAgainst } = await service((_, count) => ({ status: count === 1 ? 200 : 404 }))
  const file = 'name: n\nsteps:\n  - &step { call: GET /v1/a }\n  - *step\n'
  const { out } = await playAgainst(file, {}, { env: { GITHUB_ACTIONS: 'true' } })
  expect(out).toMatch(/^::error file=.*,line=4,title=n::2 GET/m)
})
