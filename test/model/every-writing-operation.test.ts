/**
 * Requirements for each writing operation: a case of the contract, a response that audit judges, a step of the model, and a
 * recording. Replay and the order of refusals are in idempotency.test.ts and precedence.test.ts, which do not compile without
 * the operation.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { operationById } from '../../src/service/operations/table.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { ENDPOINTS, listOfKind, WRITING_IDS, type WritingId } from '../../src/spec/contract/endpoints.ts'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { groupBy } from '../../src/spec/grouping.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { type Names, prepare, request } from '../contract/case.ts'
import { GRANTED } from '../contract/granted.ts'
import { openPlatform, type Platform } from '../contract/platform.ts'
import { session } from '../scenarios/playing.ts'
import { anyStep, live } from './history.ts'

const contractTests = join(import.meta.dirname, '../contract')
/** The files that cover every operation generically. */
const OF_ALL = ['idempotency.test.ts', 'precedence.test.ts']
const TEXT = readdirSync(contractTests)
  .filter((name) => name.endsWith('.test.ts') && !OF_ALL.includes(name))
  .map((name) => readFileSync(join(contractTests, name), 'utf8'))
  .join('\n')
const CASES = [...TEXT.matchAll(/\b([A-Z]+) (\/v1\/[^\s'"`?]+)/g)].map(([, method, path]) =>
  DEFAULT_CONTRACT.operationAt(method!, path!),
)

const ask = (platform: Platform, id: WritingId, names: Names, headers: Record<string, string> = {}) =>
  platform.send(request({ ...GRANTED[id], headers }, names))

const fieldsOf = (schema: z.ZodType | undefined) =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

const latest = ({ tester }: Platform) => tester.control.requests({ limit: 1 })[0]!

const findings = ({ tester }: Platform) =>
  tester.control.audit().findings.map(({ rule, requests }) => `${rule} of ${requests.join(', ')}`)

describe.each(WRITING_IDS)('%s', (id) => {
  test('has cases of the contract', () => expect(CASES).toContain(id))

  test('has cases of the contract for each field of its request and response', () => {
    const { body, answer } = operationById(id)
    const fields = [body, answer].flatMap(fieldsOf)
    expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(TEXT))).toEqual([])
  })

  test('records an event of its effect, and its journal entry has its subject', async () => {
    const platform = openPlatform()
    const names = await prepare(platform, GRANTED[id].given)
    const before = platform.tester.events().length
    const { body } = await ask(platform, id, names)
    const types = platform.tester.events().slice(before)
    expect(types.map((type) => type.split('.')[0])).toContain(ENDPOINTS[id].what)
    if (ENDPOINTS[id].does === 'change') expect(latest(platform).subject).toBe((body as { id: string }).id)
  })

  test('is judged by audit: a lost response needs a follow-up, and a list is enough', async () => {
    const platform = openPlatform()
    const names = await prepare(platform, GRANTED[id].given)
    const lost = { 'x-sim': 'fault=reset; at=after-commit', 'idempotency-key': 'a-random-key' }
    await expect(ask(platform, id, names, lost)).rejects.toThrow()
    const finding = `C6 of ${latest(platform).id}`
    expect(findings(platform)).toContain(finding)
    const { call } = ENDPOINTS[listOfKind(ENDPOINTS[id].what)]
    await platform.send({ call: call.replace('{id}', String(names.customer)) })
    expect(findings(platform)).not.toContain(finding)
  })

  test('becomes a recording that passes', async () => {
    const platform = openPlatform()
    const names = await prepare(platform, GRANTED[id].given)
    await ask(platform, id, names)
    const { simulator, control } = platform.tester
    const { yaml, leftOut } = await recordSession(control, { chosen: [latest(platform).id] })
    expect(leftOut).toEqual([])
    const { url } = await simulator.listen()
    const played = await playFile(
      'recorded.yaml',
      parseScenario(yaml),
      { base: new URL(url), apiKey: undefined, adminToken: undefined },
      session(),
    )
    expect(played).toMatchObject({ outcome: 'passed' })
  })
})

test('each is a step of the model, with each field of its body, and each event is one of the model', async () => {
  const { platform, model } = await live(fc.sample(anyStep, { numRuns: 600, seed: 1 }))
  const { control } = platform.tester
  const sent = groupBy(control.requests({ limit: 1_000 }), ({ operation }) => operation)
  const unsent = WRITING_IDS.map((id) => {
    const bodies = sent.get(id)?.map((request) => JSON.parse(control.request(request.id).request.body))
    return [id, fieldsOf(operationById(id).body).filter((field) => !bodies?.some((body) => field in body))]
  })
  expect(unsent).toEqual(WRITING_IDS.map((id) => [id, []]))
  expect([...sent.keys()]).toEqual(expect.arrayContaining([...WRITING_IDS]))
  expect(new Set(model.events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES))
})
