/** The results of audit and grade on the command line: exit codes, reports, and messages for invalid input. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AUDIT_RULES } from '../../src/spec/contract/audit-rules.ts'
import { confirmedCheckout, openShop } from '../control/shop.ts'
import { freePort } from '../free-port.ts'
import { folder } from '../given.ts'
import { leftovers } from '../leftovers.ts'
import { served } from '../served.ts'
import { runPaysim, spawnPaysim } from './paysim.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

test('explain describes an order, or a request without one, and suggests valid names', async () => {
  const { simulator, shop, call } = openShop()
  await confirmedCheckout(call)
  await call('GET', '/v1/checkouts/nothing')
  const { url } = await simulator.listen()
  const explained = (about: string) => runPaysim(['explain', about, '--target', url])
  const [{ orderId }] = JSON.parse(shop.read('checkouts.list')).data
  expect((await explained(orderId)).stdout).toContain(`${orderId}: charged`)
  expect(await explained('req_3')).toMatchObject({ code: 0, stderr: '' })
  expect((await explained('req_3')).stdout).toContain('Refused at the step "operation": Checkout not found.')
  expect(await explained('req_9')).toMatchObject({
    code: 2,
    stderr:
      'Cannot explain req_9 in the sandbox default: Request not found. Name an order such as order-3, an id such as req_8, or an Idempotency-Key.\n',
  })
})

describe('audit', () => {
  async function judged() {
    const { simulator, call } = openShop()
    await confirmedCheckout(call)
    const { url } = await simulator.listen()
    return ['audit', '--target', url]
  }

  test('exits with 1 if it finds an error, and writes every report', async () => {
    const [report, summary, page] = ['audit.xml', 'summary.md', 'audit.html'].map((name) =>
      join(folder(), name),
    ) as [string, string, string]
    const reports = ['--report', `junit=${report}`, '--report', `html=${page}`]
    const bad = await runPaysim([...(await judged()), ...reports], { GITHUB_STEP_SUMMARY: summary })
    expect(bad).toMatchObject({ code: 1, stderr: '' })
    const title = '1 error and 0 warnings in 2 requests'
    expect(bad.stdout).toContain('error C1: Money is moved without an Idempotency-Key')
    expect(bad.stdout).toContain(title)
    expect(readFileSync(report, 'utf8')).toContain(`tests="${AUDIT_RULES.length}" failures="1"`)
    const html = readFileSync(page, 'utf8')
    expect(html).toContain(`<h1>${title}</h1>`)
    expect(leftovers(html)).toEqual([])
    expect(readFileSync(summary, 'utf8')).toMatch(
      new RegExp(`^## paysim audit: ${title}\n[^]*^\\| ✗ failed \\| C1 Money is moved .*\\| checkouts`, 'm'),
    )
  })

  test('exits with 0 if the rule is ignored', async () => {
    const good = await runPaysim([...(await judged()), '--ignore', 'C1=legacy importer'])
    expect(good).toMatchObject({ code: 0, stderr: '' })
    expect(good.stdout).toContain('C1 is ignored (legacy importer): 1 finding')
  })

  test('exits with 2 if no request was received, unless the sandbox may be idle', async () => {
    const report = join(folder(), 'audit.xml')
    const { url } = await openShop().simulator.listen()
    const none = await runPaysim(['audit', '--target', url, '--report', `junit=${report}`])
    expect(none).toMatchObject({ code: 2, stdout: expect.stringContaining('no request was received') })
    expect(readFileSync(report, 'utf8')).toContain(`skipped="${AUDIT_RULES.length}"`)
    expect(await runPaysim(['audit', '--target', url, '--idle'])).toMatchObject({ code: 0 })
  })
})

describe('grade', () => {
  const grade = (url: string, ...more: string[]) => ['grade', url, '--secret', SECRET, ...more]
  const taking = async () =>
    `${await served((request, response) =>
      request.resume().on('end', () => response.writeHead(204).end()),
    )}/webhooks`

  test('exits with 1 for a receiver that accepts everything', async () => {
    const [report, summary] = [join(folder(), 'grade.json'), join(folder(), 'summary.md')]
    const line = grade(await taking(), '--report', `json=${report}`)
    const { code, stdout } = await runPaysim(line, { GITHUB_STEP_SUMMARY: summary })
    expect(code).toBe(1)
    const text = readFileSync(summary, 'utf8')
    expect(text).toMatch(/^## paysim grade: Grade F: \d+ of 20 passed\n/)
    expect(text).toMatch(/^1\. \*\*Verify the signature .*\*\*, .*no signature/m)
    expect(text).toMatch(/^\| ✗ failed \| no signature \| expected 4xx, came 204 \| \d+ ms \|$/m)
    expect(stdout).toContain('FAIL  no signature: 204, expected 4xx')
    expect(stdout).toMatch(/^Responses: F, .* Duplicates were not judged/m)
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ grade: 'F' })
  })

  test('exits with 2 if nothing is listening, and for an invalid URL', async () => {
    expect(await runPaysim(grade('http://127.0.0.1:1/webhooks'))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Nothing is listening at 127.0.0.1: connect ECONNREFUSED 127.0.0.1:1.\n',
    })
    expect(await runPaysim(grade('ftp://nowhere'))).toMatchObject({
      code: 2,
      stderr: 'The URL must be an http or https URL, not "ftp://nowhere".\n',
    })
  })

  test('exits with 2 for a probe without a number, and for a --probe-state without {id}', async () => {
    const url = await taking()
    expect(await runPaysim(grade(url, '--probe', url))).toMatchObject({
      code: 2,
      stderr: `The probe ${url} must respond 200 with a number, or with an object that contains one.\n`,
    })
    expect(await runPaysim(grade(url, '--probe-state', url))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--probe-state must be .* with \{id\}/),
    })
  })
})

/** A receiver that stores the ids of handled events and the states of refunds in memory. */
const RECEIVER = `
  const { createServer } = require('node:http')
  const { createHmac } = require('node:crypto')
  const { PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_PORT } = process.env
  const key = Buffer.from(PAYSIM_WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
  const [handled, states] = [new Set(), {}]
  createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(states[request.url] ?? String(handled.size))
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = request.headers
    const valid = 'v1,' + createHmac('sha256', key).update(id + '.' + at + '.' + body).digest('base64')
    const isSigned = signatures.split(' ').includes(valid) && Math.abs(Date.now() / 1000 - at) < 300
    if (!isSigned) return response.writeHead(401).end()
    if (/"type":"(refund|checkout)\\./.test(body)) handled.add(id)
    const { data } = JSON.parse(body)
    if (states['/' + data.id] !== 'completed') states['/' + data.id] = data.status
    response.writeHead(204).end()
  }).listen(PAYSIM_WEBHOOK_PORT, '127.0.0.1')
`

test('grade --start kills a receiver that stores ids in memory, and restarts it', async () => {
  const place = folder({ 'receiver.cjs': RECEIVER })
  const url = `http://127.0.0.1:${await freePort()}`
  const report = join(place, 'grade.json')
  const start = ['--start', `"${process.execPath}" receiver.cjs`, '--probe', `${url}/handled`]
  const probes = [...start, '--probe-state', `${url}/{id}`]
  const asked = ['grade', `${url}/webhooks`, '--secret', SECRET, ...probes, '--report', `json=${report}`]
  const { stdout, stderr } = await spawnPaysim(asked, {}, { cwd: place }).exited
  expect(stderr).toBe('')
  const { cases } = JSON.parse(readFileSync(report, 'utf8'))
  expect(cases.filter(({ passed }: { passed: boolean }) => !passed)).toMatchObject([
    { name: 'the same webhook again after a restart', came: '204 (2 of 2), handled 2 times' },
  ])
  expect(stdout).toMatch(/^Grade B: 20 of 21 passed$/m)
})

test('grade --start reports that the receiver exited before it listened', async () => {
  const url = `http://127.0.0.1:${await freePort()}/webhooks`
  const { code, stderr } = await runPaysim(['grade', url, '--secret', SECRET, '--start', 'exit 3'])
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^The command of --start ended \(exit code 3\) before it listened at 127\.0\.0\.1:\d+\.$/m,
  )
})
