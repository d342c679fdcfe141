/** `--report html=FILE`: a single self-contained page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { htmlReport } from '../../src/tools/checks/page.tsx'
import { colorsFor } from '../../src/tools/player/colors.ts'
import { runReport } from '../../src/tools/player/report.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { stepLine } from '../../src/tools/player/show-result.ts'
import { leftovers } from '../leftovers.ts'
import { folderOf, play, session } from './playing.ts'
import { KEY, service } from './service.ts'

async function pageOf(...[files, options, io]: Parameters<typeof play>) {
  const file = join(await folderOf({}), 'report.html')
  const shown = await play(files, { ...options, reports: [`html=${file}`] }, io)
  const html = await readFile(file, 'utf8')
  expect(leftovers(html, JSON.stringify(files))).toEqual([])
  return { ...shown, html }
}

const PARTS_FROM_ELSEWHERE = /<script|<link [^>]*stylesheet|<iframe|<img|@import|url\(| src=/

test('a scenario has its steps with each request and response, and the journal', async () => {
  const { html, code } = await pageOf(await readFile('scenarios/answer-lost.yaml', 'utf8'))
  expect(code).toBe(0)
  expect(html).toContain('<h1>1 passed</h1>')
  expect(html.match(/<summary>Request and response<\/summary>/g)).toHaveLength(4)
  expect(html).toContain('connection reset')
  expect(html).toMatch(/<summary>Journal<\/summary><pre>req_1 {2}POST .*req_4 /s)
  // Bodies are shown as received: 250.00 does not become 250.
  expect(html).toContain('&quot;amount&quot;: 250.00')
  expect(html).not.toMatch(PARTS_FROM_ELSEWHERE)
  expect(html).not.toMatch(/sk_staging|whsec_/)
})

test('the result and the duration of a step are separate words', async () => {
  const { url } = await service(() => ({ status: 200, json: { id: '204' } }))
  const { html } = await pageOf(
    'name: A value\nsteps: [{ call: GET /v1/a, capture: { id: $.id } }, { captured: { id: "204" } }]\n',
    { target: url, apiKey: KEY },
  )
  const text = html.replaceAll(/<[^>]+>/g, '')
  expect(text).toMatch(/GET \/v1\/a 200 \d+ ms/)
  expect(text).toMatch(/captured id +\d+ ms/)
})

test('a step of 1.2 seconds is shown as 1.2 s, as on the terminal', async () => {
  const { url } = await service(() => ({ status: 200 }))
  const played = await playFile(
    'a.yaml',
    parseScenario('name: A\nsteps: [{ call: GET /v1/a }]\n'),
    { base: new URL(url), apiKey: KEY, adminToken: undefined },
    session(),
  )
  const steps = played.steps.map((step) => ({ ...step, tookMs: 1_240 }))
  const text = htmlReport(runReport([{ ...played, steps, tookMs: 1_240 }])).replaceAll(/<[^>]+>/g, '')
  expect(text.match(/1\.2 s/g)).toHaveLength(3)
  expect(text).not.toContain('second')
  expect(stepLine(steps[0]!, 1, colorsFor(false))).toBe('  ✓ 1/1   GET /v1/a → 200  1.2 s')
})

test('a run against another service shows the sent requests; a failure is expanded and shows the difference', async () => {
  const { url } = await service((asked, count) =>
    count === 2 ? 'reset' : { status: 200, json: { key: asked.headers['x-api-key'], text: '</style><b>' } },
  )
  const { html, code } = await pageOf(
    {
      'a.yaml': 'name: Passes\nsteps: [{ call: GET /v1/a }]\n',
      'b.yaml':
        'name: It <fails>\nsteps:\n  - { call: POST /v1/b, key: k, expect: { connection: reset } }\n  - { call: GET /v1/c, expect: { json: { text: x } } }\n',
      'c.yaml': 'name: Left out\nskip: "why & how"\nsteps: [{ call: GET /v1/d }]\n',
    },
    { target: url, apiKey: KEY },
  )
  expect(code).toBe(1)
  expect(html).toContain('<h1>1 of 3 failed</h1>')
  expect(html).toContain('<p class="soft">1 passed, 1 failed, 1 skipped.</p>')
  const scenarios = [...html.matchAll(/<details class="scenario"( open="")?>.*?<h2>(.*?)<\/h2>/gs)]
  expect(scenarios.map(([, open, name]) => [name, open !== undefined])).toEqual([
    ['It &lt;fails&gt;', true],
    ['Passes', false],
    ['Left out', false],
  ])
  expect(html).toContain('$.text: expected &quot;x&quot;, received')
  expect(html).toContain('&lt;/style&gt;&lt;b&gt;')
  expect(html).toContain('why &amp; how')
  expect(html).not.toMatch(PARTS_FROM_ELSEWHERE)
  expect(html).not.toContain(KEY)
})
