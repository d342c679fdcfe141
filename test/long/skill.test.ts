/** A script follows the skill for coding agents: each command unchanged, and a fix of the client in between. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'

const SKILL = readFileSync(new URL('../../skills/paysim/SKILL.md', import.meta.url), 'utf8')
const COMMANDS = [...SKILL.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, typed]) => typed!)

/** An order that is paid and refunded. */
const suite = (client: string) => `
  ${client}
  const order = { orderId: 'order-7', externalId: 'ada', amount: 100, successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }
  const { id } = await post('/v1/checkouts', order)
  await post('/v1/checkouts/' + id + '/confirm', {})
  await post('/v1/checkouts/' + id + '/refunds', { amount: 25 })
`

/** Retries immediately, each time with another key. */
const HASTY = `
  const { PAYSIM_URL, PAYSIM_API_KEY } = process.env
  async function post(path, body, left = 5) {
    const headers = { 'x-api-key': PAYSIM_API_KEY, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
    const asked = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(1000) }
    const answer = await fetch(PAYSIM_URL + path, asked).catch(() => undefined)
    if (answer?.ok) return answer.json()
    if (left === 0) throw new Error('no answer')
    return post(path, body, left - 1)
  }
`

/** The client from the README. */
const CAREFUL = `
  import { PaymentsClient } from '${new URL('../../examples/shop/client.js', import.meta.url)}'
  const client = new PaymentsClient({ url: process.env.PAYSIM_URL, apiKey: process.env.PAYSIM_API_KEY, timeoutMs: 500 })
  const post = (path, body) => client.post(path, body, crypto.randomUUID())
`

test('an agent that follows it finds the double refund, and sees the fix pass', async () => {
  const place = folder()
  const file = join(place, 'suite.mjs')
  const follow = (typed: string) => {
    const [options] = typed.split(' -- ')
    const args = options!.replace(/^npx paysim /, '').split(' ')
    return spawnPaysim([...args, '--', process.execPath, file], {}, { cwd: place }).exited
  }
  const [once, quick, failed] = COMMANDS as [string, string, string]
  expect(COMMANDS.map((typed) => typed.split(' -- ')[1])).toEqual(['npm test', 'npm test', 'npm test'])

  writeFileSync(file, '')
  expect(await follow(once)).toMatchObject({ code: 2 })
  writeFileSync(file, suite(HASTY))
  expect(await follow(once)).toMatchObject({ code: 0 })
  const broken = await follow(quick)
  expect([broken.code, broken.stdout]).toEqual([1, expect.stringMatching(/What to fix:(?:.|\n)*C2/)])
  writeFileSync(file, suite(CAREFUL))
  const mended = await follow(failed)
  expect([mended.code, mended.stdout]).toEqual([0, expect.stringMatching(/^survived .*answer-lost/m)])
})

test('it has the header that agents expect, and every variable in it is one that tests receive', () => {
  expect(SKILL).toMatch(/^---\nname: paysim\ndescription: .{80,1024}\n---\n/)
  const known = ['PAYSIM_URL', 'PAYSIM_API_KEY', 'PAYSIM_WEBHOOK_PORT', 'PAYSIM_WEBHOOK_SECRET']
  for (const [variable] of SKILL.matchAll(/PAYSIM_\w+/g)) expect(known).toContain(variable)
})
