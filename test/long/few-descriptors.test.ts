/** A process with a low limit of open files reports that it cannot open another one. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { startPaysim } from '../process/paysim.ts'
import { openReceiver } from '../receiver.ts'

const NAMES = Array.from({ length: 40 }, (_, number) => `s${number}`)
const keyOf = (name: string) => ({ 'x-api-key': `sk_staging_${name}` })

const NO_MORE_FILES =
  'No more files can be opened (EMFILE; ulimit -n says how many may be): nothing was changed. Retry later'

function onOneConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (path: string, headers: Record<string, string> = {}, body?: object) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(
        `${url}${path}`,
        {
          agent,
          method: body ? 'POST' : 'GET',
          headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        },
        async (answer) => {
          const text = (await answer.setEncoding('utf8').toArray()).join('')
          resolve({ status: answer.statusCode, text })
        },
      )
      asked.on('error', reject).end(body && JSON.stringify(body))
    })
}

/** Opens connections until no descriptor is left, and returns a function that closes them. */
async function takeDescriptors(url: string): Promise<() => void> {
  const port = Number(new URL(url).port)
  const sockets = Array.from({ length: 64 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  // The system accepts a connection before the process does, which then closes it because no descriptor is left.
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test('without free descriptors, a sandbox or a folder that cannot be opened is a 503 with a sentence', async () => {
  const kept = ['--data', folder(), '--durability', 'process']
  const first = await startPaysim(kept)
  await first.call('POST', '/_sim/sandboxes', { name: 'shop' })
  await first.stop()

  const paysim = await startPaysim(kept, {}, { descriptors: 64 })
  // A request is using the only open database, so paysim cannot close it to open another.
  await paysim.call('POST', '/_sim/behaviors', { behaviors: [{ id: 'wait', do: { hold: 'gate' } }] })
  const held = paysim.call('POST', '/v1/checkouts', ORDER)
  await paysim.held('gate')

  await paysim.call('POST', '/_sim/snapshots')
  const ask = onOneConnection(paysim.url)
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  const giveBack = await takeDescriptors(paysim.url)

  for (const path of ['/v1/checkouts', '/_sim/snapshots']) {
    const refused = await ask(path, keyOf('shop'))
    expect(refused.status, path).toBe(503)
    expect(JSON.parse(refused.text).message).toBe(NO_MORE_FILES)
  }
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  giveBack()
  await expect.poll(async () => (await ask('/v1/checkouts', keyOf('shop'))).status).toBe(200)
  await paysim.call('POST', '/_sim/gates/gate/release')
  expect((await held).status).toBe(201)
})

test('silent receivers leave descriptors for clients and for the webhooks of another sandbox', async () => {
  const [silent, good] = [await openReceiver(() => {}), await openReceiver(204)]
  const paysim = await startPaysim(['--rate-limit', 'off'], {}, { descriptors: 256 })
  const ask = onOneConnection(paysim.url)
  const createCustomers = async (name: string, count: number) => {
    for (let number = 0; number < count; number += 1) {
      const { status } = await ask('/v1/customers', keyOf(name), { externalId: `biz-${number}` })
      expect(status).toBe(201)
    }
  }
  const names = NAMES.slice(0, 20)
  for (const name of names) await ask('/_sim/sandboxes', {}, { name, webhook: { url: silent.url } })
  for (const name of names) await createCustomers(name, 17)
  // The limit of concurrent webhooks, with at least one from each sandbox.
  await silent.until((received) => received.length >= 64)
  const clients = NAMES.map(() => onOneConnection(paysim.url)('/healthz'))
  expect((await Promise.all(clients)).map(({ status }) => status)).toEqual(NAMES.map(() => 200))

  await ask('/_sim/sandboxes', {}, { name: 'good', webhook: { url: good.url } })
  await createCustomers('good', 17)
  await good.until((received) => received.length === 17)
})

test.each(['127.0.0.1', 'localhost'])(
  'a receiver at %s is not blamed for a connection that paysim cannot open',
  async (host) => {
    // Closing each connection keeps paysim from reusing it.
    const receiver = await openReceiver((response) => response.writeHead(204, { connection: 'close' }).end())
    const paysim = await startPaysim(
      ['--webhook-url', receiver.url.replace('127.0.0.1', host)],
      {},
      { descriptors: 64 },
    )
    const ask = onOneConnection(paysim.url)
    const key = keyOf('default')
    const deliveries = async () => JSON.parse((await ask('/_sim/deliveries')).text).data
    expect((await ask('/v1/customers', key, { externalId: 'first' })).status).toBe(201)
    await receiver.until((received) => received.length === 1)
    await expect.poll(async () => (await deliveries())[0].status).toBe('delivered')

    const giveBack = await takeDescriptors(paysim.url)
    expect((await ask('/v1/customers', key, { externalId: 'second' })).status).toBe(201)
    const refused = await ask('/_sim/settle', {}, { within: '30s' })
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([503, NO_MORE_FILES])
    expect(await deliveries()).toContainEqual(expect.objectContaining({ status: 'pending', attempts: [] }))
    giveBack()
    await receiver.until((received) => received.length === 2)
    await expect
      .poll(async () => (await deliveries()).map(({ status }: { status: string }) => status))
      .toEqual(['delivered', 'delivered'])
    for (const { attempts } of await deliveries())
      expect(attempts).toMatchObject([{ number: 1, status: 204 }])
  },
)
