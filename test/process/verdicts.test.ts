import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSimulator } from '../../src/tools/compose.ts'
import { asPlatform, confirmedCheckout } from '../control/shop.ts'
import { freePort } from '../free-port.ts'
import { leftovers } from '../leftovers.ts'
import { served } from '../served.ts'
import { runPaysim, spawnPaysim } from './paysim.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-verdicts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('conduct exits with 1 where an error was found, and with 0 where its rule is ignored', async () => {
  const simulator = createSimulator()
  onTestFinished(() => simulator.close())
  const shop = simulator.create({ name: 'shop' })
  await confirmedCheckout(asPlatform(simulator, shop))
  const { url } = await simulator.listen()
  const report = join(ownFolder(), 'conduct.xml')

  const asked = ['conduct', '--target', url, '--sandbox', 'shop']
  const summary = join(ownFolder(), 'summary.md')
  const page = join(ownFolder(), 'conduct.html')
  const reports = ['--report', `junit=${report}`, '--report', `html=${page}`]
  const bad = await runPaysim([...asked, ...reports], { GITHUB_STEP_SUMMARY: summary })
  expect(bad).toMatchObject({ code: 1, stderr: '' })
  expect(bad.stdout).toContain('error C1: Money is moved without an Idempotency-Key')
  expect(bad.stdout).toContain('1 error and 0 warnings in 2 requests')
  expect(readFileSync(report, 'utf8')).toContain('tests="23" failures="1"')
  const title = '1 error and 0 warnings in 2 requests'
  const html = readFileSync(page, 'utf8')
  expect(html).toContain(`<h1>${title}</h1>`)
  expect(leftovers(html)).toEqual([])
  expect(readFileSync(summary, 'utf8')).toMatch(
    new RegExp(`^## paysim conduct: ${title}\n[^]*^\\| ✗ failed \\| C1 Money is moved .*\\| checkouts`, 'm'),
  )

  const good = await runPaysim([...asked, '--ignore', 'C1=legacy importer'])
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toContain('C1 is ignored (legacy importer): 1 finding')

  const wrong = await runPaysim([...asked, '--ignore', 'C99=no rule'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toBe('--ignore C99 is no rule of conduct; did you mean C9?\n')

  const nowhere = await runPaysim(['conduct', '--target', url, '--sandbox', 'shoop'])
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: `The sandbox shoop at ${url} cannot be judged: Sandbox not found.\n`,
  })
})

test('grade exits with 1 for a receiver that takes everything', async () => {
  const receiver = await served((request, response) =>
    request.resume().on('end', () => response.writeHead(204).end()),
  )
  const url = `${receiver}/webhooks`
  const report = join(ownFolder(), 'grade.json')
  const asked = ['grade', url, '--secret', SECRET]
  const summary = join(ownFolder(), 'summary.md')
  const environment = { GITHUB_STEP_SUMMARY: summary }
  const { code, stdout } = await runPaysim([...asked, '--report', `json=${report}`], environment)
  expect(code).toBe(1)
  const text = readFileSync(summary, 'utf8')
  expect(text).toMatch(/^## paysim grade: Grade F: \d+ of 20 passed\n/)
  expect(text).toMatch(/^1\. \*\*Verify the signature .*\*\*, .*no signature/m)
  expect(text).toMatch(/^\| ✗ failed \| no signature \| expected 4xx, came 204 \| \d+ ms \|$/m)
  expect(stdout).toContain('FAIL  no signature: 204, expected 4xx')
  expect(stdout).toMatch(/^Answers: F, .* whether a duplicate is handled once was not judged/m)
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ grade: 'F' })

  const gone = await runPaysim(['grade', 'http://127.0.0.1:1/webhooks', '--secret', SECRET])
  expect(gone).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'Nothing listens at 127.0.0.1: connect ECONNREFUSED 127.0.0.1:1.\n',
  })
  const probed = await runPaysim([...asked, '--probe', url])
  expect(probed).toMatchObject({
    code: 2,
    stderr: `The probe ${url} must answer 200 with a number, or with an object that has one.\n`,
  })

  const wrong = await runPaysim(['grade', 'ftp://nowhere', '--secret', SECRET])
  expect(wrong).toMatchObject({
    code: 2,
    stderr: 'The URL must be an http or https URL, not "ftp://nowhere".\n',
  })
})

/** The receiver keeps the ids of handled events in a file, or in memory. */
const RECEIVER = `
  const { createServer } = require('node:http')
  const { appendFileSync, existsSync, readFileSync } = require('node:fs')
  const { createHmac } = require('node:crypto')
  const { FILE, PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_PORT } = process.env
  const key = Buffer.from(PAYSIM_WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
  const handled = FILE && existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\\n') : []
  createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(String(handled.length))
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = request.headers
    const valid = 'v1,' + createHmac('sha256', key).update(id + '.' + at + '.' + body).digest('base64')
    const isSigned = signatures.split(' ').includes(valid) && Math.abs(Date.now() / 1000 - at) < 300
    if (!isSigned) return response.writeHead(401).end()
    if (/"type":"(refund|checkout)\\./.test(body) && !handled.includes(id)) {
      handled.push(id)
      if (FILE) appendFileSync(FILE, id + '\\n')
    }
    response.writeHead(204).end()
  }).listen(PAYSIM_WEBHOOK_PORT, '127.0.0.1')
`

test.for([
  ['a file', 'handled.txt', 'A'],
  ['memory', '', 'B'],
] as const)(
  'grade --start kills a receiver that remembers in %s, and starts it again',
  async ([, file, grade]) => {
    const folder = ownFolder()
    writeFileSync(join(folder, 'receiver.cjs'), RECEIVER)
    const url = `http://127.0.0.1:${await freePort()}`
    const report = join(folder, 'grade.json')
    const start = ['--start', `"${process.execPath}" receiver.cjs`, '--probe', `${url}/handled`]
    const asked = ['grade', `${url}/webhooks`, '--secret', SECRET, ...start, '--report', `json=${report}`]
    const { stdout, stderr } = await spawnPaysim(asked, { FILE: file && join(folder, file) }, { cwd: folder })
      .exited
    expect(stderr).toBe('')
    const failed = JSON.parse(readFileSync(report, 'utf8')).cases.filter(
      (one: { passed: boolean }) => !one.passed,
    )
    expect(failed.map(({ name, came }: { name: string; came: string }) => [name, came])).toEqual(
      grade === 'A' ? [] : [['the same webhook again after a restart', '204 (2 of 2), handled 2 times']],
    )
    expect(stdout).toMatch(
      new RegExp(`^Grade ${grade}: ${grade === 'A' ? 21 : 20} of 21 passed; not judged: which state`, 'm'),
    )
  },
)

test('grade --start says that what it started ended, or that something listens there already', async () => {
  const url = `http://127.0.0.1:${await freePort()}/webhooks`
  const asked = ['grade', url, '--secret', SECRET, '--start']
  const ended = await runPaysim([...asked, 'exit 3'])
  expect([ended.code, ended.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^The command of --start ended \(exit code 3\) before it listened at 127\.0\.0\.1:\d+\.$/m,
    ),
  ])
  const missing = await runPaysim(['grade', url, '--secret', SECRET, '--probe-state', url])
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/^--probe-state must be .* with \{id\}/),
  ])
})
