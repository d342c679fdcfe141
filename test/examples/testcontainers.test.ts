/** `paysim/testcontainers` with the real testcontainers. Only the engine is a stand-in: its containers are processes. */
import { join } from 'node:path'
import { Network } from 'testcontainers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { capitalized } from '../../src/spec/contract/counted.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { PaysimContainer } from '../../src/testcontainers.ts'
import { RUN_VARIABLE, RunFolder } from '../../src/tools/gauntlet/run-folder.ts'
import { folder } from '../given.ts'
import { startPaysim } from '../process/paysim.ts'
import { startEngine } from './container-engine.ts'

let engine: Awaited<ReturnType<typeof startEngine>>

beforeAll(async () => {
  engine = await startEngine()
  for (const [name, value] of Object.entries(engine.environment)) vi.stubEnv(name, value)
})
afterAll(() => {
  vi.unstubAllEnvs()
  engine.stop()
})

const scenario = (name: string) =>
  `name: ${name}\nbehaviors:\n  - { id: ${name}, when: { op: checkouts.create }, times: 1, do: { respond: { status: 503 } } }\n`

test('each method sets an option of paysim, and files are copied into the container', async () => {
  const files = folder({
    'one.yaml': scenario('one'),
    'profile.yaml': 'timestamps: { milliseconds: false }\n',
    'fixture.yaml': 'checkouts:\n  - { orderId: order-7, externalId: ada, amount: 7, status: confirmed }\n',
  })
  const more = folder({ 'two.yaml': scenario('two') })
  await using paysim = await new PaysimContainer()
    .withRateLimit(7)
    .withRefundDelay('3d')
    .withClock('frozen@2026-01-01T00:00:00Z')
    .withSeed(1)
    .withApiKey('sk_staging_mine')
    .withSigningSecret('whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDI=')
    .withWebhookUrl('http://127.0.0.1:9/hooks')
    .withAdminToken('only-for-tests')
    .withFixture(join(files, 'fixture.yaml'))
    .withProfile(join(files, 'profile.yaml'))
    .withScenario(join(files, 'one.yaml'))
    .withScenario(more)
    .start()

  expect(paysim.getApiKey()).toBe('sk_staging_mine')
  expect(paysim.getSigningSecret()).toBe('whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDI=')
  expect(paysim.getUrl()).toBe(`http://${paysim.getHost()}:${paysim.getMappedPort(4100)}`)
  expect((await fetch(`${paysim.getUrl()}/_sim/sandboxes`)).status).toBe(401)
  const shop = await paysim.getControl().find('default')
  expect(await shop.describe()).toMatchObject({ rateLimit: 7, refundDelay: '3d', seed: 1 })
  expect(await shop.clock.read()).toMatchObject({ now: '2026-01-01T00:00:00.000Z' })
  expect((await shop.behaviors()).map(({ id }) => id).sort()).toEqual(['one', 'two'])
  expect(await shop.read('checkouts.list')).toContain('order-7')
  expect(await shop.webhook.get()).toMatchObject({ url: 'http://127.0.0.1:9/hooks' })
})

test.for(TIMED_MOVES)('a container sets $option by the variable that paysim reads', ({ option }) => {
  const { env } = commandOptions(START_OPTIONS).find(({ name }) => name === option)!
  const container = new PaysimContainer()[`with${capitalized(option)}` as 'withRefundDelay']('3d')
  expect(Reflect.get(container, 'environment')).toEqual({ [env]: '3d' })
})

test('production has its own address, if it is enabled', async () => {
  await using paysim = await new PaysimContainer().withProduction().withFixture('demo').start()
  expect(paysim.getApiKey('production')).toBe('sk_live_default')
  expect(paysim.getUrl('production')).not.toBe(paysim.getUrl())
  expect(await paysim.getControl('production').create()).toMatchObject({
    apiKey: expect.stringContaining('sk_live_'),
  })

  await using staging = await new PaysimContainer().start()
  expect(() => staging.getUrl('production')).toThrow(
    'The container does not serve production. Call withProduction() before it starts',
  )
})

test('works like any container: with a name in a network, a log, reuse, and removal at the end of its block', async () => {
  const network = await new Network().start()
  const asked = () => new PaysimContainer().withReuse().withNetwork(network).withNetworkAliases('payments')
  let id: string
  {
    await using paysim = await asked().start()
    id = paysim.getId()
    expect((await asked().start()).getId()).toBe(id)
    const lines = await (await paysim.logs()).toArray()
    expect(lines.join('')).toContain('paysim serves on')
    expect(engine.connected).toMatchObject([{ Container: id, EndpointConfig: { Aliases: ['payments'] } }])
  }
  expect(engine.containers.map((container) => container.id)).not.toContain(id)
  await network.stop()
})

test('in a gauntlet run, the simulator of the run replaces the container', async () => {
  const { url } = await startPaysim()
  const run = RunFolder.make(join(folder({}), 'run'), { behaviors: [], ignoredRules: {} })
  vi.stubEnv(RUN_VARIABLE, run.path)
  vi.stubEnv('PAYSIM_URL', url)
  vi.stubEnv('PAYSIM_API_KEY', 'sk_staging_default')
  vi.stubEnv('PAYSIM_WEBHOOK_SECRET', 'whsec_of_the_run')
  engine.containers.length = 0
  const paysim = await new PaysimContainer().withRateLimit('off').start()
  expect(engine.containers).toEqual([])
  expect([paysim.getUrl(), paysim.getApiKey()]).toEqual([url, 'sk_staging_default'])
  expect(`http://${paysim.getHost()}:${paysim.getMappedPort(4100)}`).toBe(url)
  await paysim.getControl().create()
  expect(() => paysim.getId()).toThrow(
    'getId needs a container, but a gauntlet run uses its own simulator instead',
  )
  await paysim.stop()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})
