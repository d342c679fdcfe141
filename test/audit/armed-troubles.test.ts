/** Each trouble of the gauntlet produces the situation that coverage names, so the suggested command helps. */
import { expect, test } from 'vitest'
import { CONNECTION_FAULT_KINDS, mayActBefore } from '../../src/spec/contract/connection-fault.ts'
import { ENDPOINTS, WRITING_IDS } from '../../src/spec/contract/endpoints.ts'
import { TROUBLES } from '../../src/tester/audit/coverage.ts'
import { auditText } from '../../src/tester/audit/show.ts'
import { prepare, request } from '../contract/case.ts'
import { GRANTED } from '../contract/granted.ts'
import { openPlatform, type Sent } from '../contract/platform.ts'
import { served } from '../served.ts'

const ARMED = TROUBLES.flatMap(({ id, arm = [] }) => arm.map((trouble) => ({ id, ...trouble })))

/** The writes that a trouble can act on. */
const ACTED_ON = WRITING_IDS.filter((id) => ENDPOINTS[id].movesMoney || ENDPOINTS[id].does === 'create')

/** Sends every request that a trouble can act on, without waiting for responses, because some never arrive. */
async function runUnder(behaviors: (typeof ARMED)[number]['behaviors']) {
  const url = await served((request, response) => request.resume().on('end', () => response.end()))
  const platform = openPlatform({ webhook: { url } })
  const shop = platform.tester.control
  const writes: Sent[] = []
  for (const id of ACTED_ON) {
    const { given, ...granted } = GRANTED[id]
    writes.push(request({ ...granted, key: id }, await prepare({ ...platform, run: id }, given)))
  }
  await shop.settle()
  shop.arm(behaviors)
  for (const sent of [...writes, { call: 'GET /v1/checkouts' }, { call: 'GET /v1/customers' }])
    platform.send(sent).catch(() => {})
  for (let seconds = 0; seconds < 5; seconds += 1) await shop.clock.advance('1s')
  return shop.audit()
}

test.for(ARMED)('$name counts as $id', async ({ id, behaviors }) => {
  const { coverage } = await runUnder(behaviors)
  expect(coverage.filter(({ times }) => times > 0).map(({ trouble }) => trouble)).toContain(id)
})

test('each operation that moves money can lose its response', () => {
  const lost = ARMED.flatMap(({ name, behaviors }) =>
    name.startsWith('answer-lost:') ? behaviors.map(({ when }) => when?.op) : [],
  )
  expect(lost).toEqual(expect.arrayContaining(WRITING_IDS.filter((id) => ENDPOINTS[id].movesMoney)))
  expect(new Set(ARMED.map(({ name }) => name)).size).toBe(ARMED.length)
})

test('each connection fault is tried at each moment at which it may act', () => {
  const tried = ARMED.flatMap(({ behaviors }) =>
    behaviors.flatMap(({ do: words }) => ('fault' in words ? [`${words.fault} ${words.at ?? ''}`] : [])),
  )
  expect(tried).toEqual(
    expect.arrayContaining(
      CONNECTION_FAULT_KINDS.flatMap((kind) =>
        mayActBefore(kind) ? [`${kind} before`, `${kind} after-commit`] : [`${kind} `],
      ),
    ),
  )
})

test('a trouble that never occurred is listed with the command that tries it', async () => {
  const audit = await runUnder([])
  expect(audit.coverage.find(({ trouble }) => trouble === 'webhook-late')).toMatchObject({
    times: 0,
    command: 'paysim gauntlet --only webhook-late',
  })
  expect(audit.coverage.find(({ trouble }) => trouble === 'client-left')).toMatchObject({
    armed: null,
    command: null,
  })
  expect(auditText(audit)).toMatch(
    /^ {2}to test them: paysim gauntlet --only answer-lost-once,request-lost-once,.*,in-flight-once,internal-error-once,.* -- YOUR TESTS$/m,
  )
})
