import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Scenario, scenarioJsonSchema } from '../../src/sandbox/scenario-file/format.ts'
import { openBeside, parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { OPERATION_IDS } from '../../src/spec/contract/endpoints.ts'
import { BY_HEX, EVERY_KEY } from '../contract/different-profile.ts'
import { newSimulator } from '../control/shop.ts'
import { EFFORT, firstOf } from '../effort.ts'
import { startOwn } from './own.ts'
import { play } from './playing.ts'

/** Files with setups, which other files use. */
const SETUPS = 'setups.yaml'
const FILES = readdirSync('scenarios').filter((name) => name.endsWith('.yaml') && name !== SETUPS)
const read = (name: string) => readFileSync(`scenarios/${name}`, 'utf8')
const filesOf = (names: readonly string[]) =>
  Object.fromEntries([...names, SETUPS].map((name) => [name, read(name)]))

test('the JSON schema next to the scenarios, for editors, is up to date', () => {
  expect(JSON.parse(read('scenario.schema.json'))).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
})

test('editors validate a duration in a step like any other', () => {
  const { Duration, StepDuration } = JSON.parse(read('scenario.schema.json')).definitions
  expect(StepDuration.anyOf).toEqual(Duration.anyOf)
})

describe('every scenario passes, all its behaviors act, and it has a `why`', () => {
  test.each(FILES)('%s', async (name) => {
    const { out, err, code } = await play(filesOf([name]))
    expect({ code, err, shown: code === 0 ? '' : out }).toEqual({ code: 0, err: '', shown: '' })
    expect(out).not.toContain('never acted')
    expect(out).not.toContain('skipped')
    expect(read(name)).toMatch(/^why: .{20,}$/m)
  })
})

/** The scheme hex signs no time, so no signature is stale. */
const SIGNED = FILES.filter((name) => name !== 'webhook-stale.yaml' && read(name).includes('signature:'))

/** test:long runs all of them. */
const everyThird = (names: readonly string[]) => names.filter((_, index) => EFFORT > 1 || index % 3 === 0)

describe('every scenario passes in default names', () => {
  test.each([
    ...everyThird(FILES).map((name) => [name, 'a profile in which every key is another', EVERY_KEY] as const),
    ...SIGNED.map((name) => [name, 'a profile that signs by hex', BY_HEX] as const),
  ])('%s under %s', async (name, _, profile) => {
    const { out, code } = await play(filesOf([name]), { profile })
    expect({ code, shown: code === 0 ? '' : out }).toEqual({ code: 0, shown: '' })
    expect(out).not.toContain('never acted')
  })
})

test('the library covers every error of §7', () => {
  const statuses = FILES.flatMap((name) =>
    [...read(name).matchAll(/status: (\d{3})/g)].map(([, status]) => status),
  )
  expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '404', '409', '422', '429', '500']))
})

test('the tour calls every operation, so that a profile can be learned from it', () => {
  const called = [...read('tour.yaml').matchAll(/call: ([A-Z]+) ([^\s?,]+)/g)].map(([, method, path]) =>
    DEFAULT_CONTRACT.operationAt(method!, path!),
  )
  expect(called).toEqual(expect.arrayContaining(OPERATION_IDS))
})

test("without a tester's API, all steps that need no tester pass as well", async () => {
  const { url, apiKey } = await startOwn()
  const files = filesOf(FILES)
  const { code, out } = await play(files, {
    target: url,
    apiKey,
    patience: { within: 10_000, every: 20 },
  })
  expect({ code, failed: out.includes('✗') && out }).toEqual({ code: 0, failed: false })
  expect(out).toContain('answer-lost.yaml')
  expect(out).toMatch(/answer-lost\.yaml +0\/7 {2}skipped: it needs behaviors/)
  expect(out).toMatch(/first-refund\.yaml +5\/9 {2}passed, 4 of 9 steps were skipped/)
  expect(out).not.toContain(apiKey)
})

describe('a client that retries', () => {
  const lost = read('answer-lost.yaml')
  const retry = '  - repeat: refund\n'
  const withNewKey = `  - call: POST /v1/checkouts/\${checkout}/refunds
    key: \${uuid:another}
    json: { amount: 250.00 }
    expect: { status: 201 }
`

  test('with the same key passes', async () => {
    expect(await play(lost)).toMatchObject({ code: 0 })
  })

  test('with a new key refunds twice, and the scenario fails', async () => {
    const [before = '', after = ''] = lost.split(retry)
    const wrong = before + withNewKey + after.slice(after.indexOf('\n') + 1)
    const { code, out } = await play(wrong)
    expect(out).toContain('✗ 6/7   webhook refund.completed')
    expect(out).toContain(
      'deliveries: expected exactly 1 of refund.completed, received 2: refund.completed of ref_',
    )
    expect(code).toBe(1)
    const { out: unheard } = await play(wrong.replace(/ {2}- webhook.*\n/, ''))
    expect(unheard).toContain('$.refunds: expected 1, received 2')
  })
})

describe('two simulators', () => {
  const compared = firstOf(5, FILES)

  test('show no difference', async () => {
    const { url } = await startOwn()
    const { code, out } = await play(filesOf(compared), { target: url, compare: true })
    expect(out).toMatch(/0 differences$/)
    expect(code).toBe(0)
  })

  test('show no difference without /_sim on the other side', async () => {
    const { url, apiKey } = await startOwn({}, '2s')
    const platform = { target: url, apiKey }
    const patience = { within: 10_000, every: 20 }
    const { code, out } = await play(filesOf(compared), { ...platform, compare: true, patience })
    expect(out).toMatch(/0 differences$/)
    expect(code).toBe(0)
  })
})

test('a parsed scenario can be armed from code, whichever keys its file has', () => {
  const simulator = newSimulator()
  const shop = simulator.sandbox('shop')
  for (const name of FILES) shop.replaceBehaviors(parseScenario(read(name), `scenarios/${name}`, openBeside))
  const keys = Object.fromEntries(Object.keys(Scenario.shape).map((key) => [key, undefined]))
  shop.replaceBehaviors({ ...keys, behaviors: [] })
  expect(shop.behaviors()).toEqual([])
})

test('the library shows how to wait on the clock with until', () => {
  expect(FILES.filter((name) => read(name).includes('until:'))).not.toEqual([])
})

test("each object of the schema has its own title, because editors otherwise show the parent's title", () => {
  const without: string[] = []
  const walk = (schema: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null) return
    if ('properties' in schema && !('title' in schema)) without.push(path)
    for (const [key, inner] of Object.entries(schema)) if (key !== 'examples') walk(inner, `${path}/${key}`)
  }
  const schema = scenarioJsonSchema()
  walk(schema, '')
  expect(without).toEqual([])
  expect(JSON.stringify(schema).match(/A paysim scenario/g)).toHaveLength(1)
  // With allOf, editors complete a key without its colon.
  expect(JSON.stringify(schema)).not.toContain('"allOf"')
})
