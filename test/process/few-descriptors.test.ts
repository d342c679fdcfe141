/** A process that may open few files: its sandboxes take turns, and where nothing more can be opened it says so. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ORDER } from '../time/stage.ts'
import { folder } from './folder.ts'
import { startPaysim } from './paysim.ts'

const NAMES = Array.from({ length: 40 }, (_, number) => `s${number}`)
const keyOf = (name: string) => ({ 'x-api-key': `sk_staging_${name}` })

const NO_MORE_FILES =
  'No more files can be opened (EMFILE; ulimit -n says how many may be): nothing was changed, send it again later'

function onOneConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (path: string, headers = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(`${url}${path}`, { agent, headers }, async (answer) => {
        const text = (await answer.setEncoding('utf8').toArray()).join('')
        resolve({ status: answer.statusCode, text })
      })
      asked.on('error', reject).end()
    })
}

/** All that are left, by connections; what it returns closes them. */
async function takeDescriptors(url: string): Promise<() => void> {
  const port = Number(new URL(url).port)
  const sockets = Array.from({ length: 64 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  // The system accepts for the process first; a connection that it has no descriptor for is closed.
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test('sandboxes work whose files are more than it may open', async () => {
  const kept = ['--data', folder(), '--durability', 'process', '--rate-limit', 'off']
  const paysim = await startPaysim(kept, {}, { descriptors: 64 })
  for (const name of NAMES) await paysim.call('POST', '/_sim/sandboxes', { name })
  for (const name of NAMES) {
    const { status, text } = await paysim.call('POST', '/v1/checkouts', ORDER, undefined, keyOf(name))
    expect(status, text).toBe(201)
  }
  for (const name of NAMES) {
    const { body } = await paysim.call('GET', '/v1/checkouts', undefined, undefined, keyOf(name))
    expect(body.data).toHaveLength(1)
  }
  await paysim.stop()
  const again = await startPaysim(kept, {}, { descriptors: 64 })
  expect((await again.call('GET', '/_sim')).body.sandboxes).toHaveLength(NAMES.length + 1)
})

test('where connections have taken them all, a sandbox or a folder that cannot be opened is a 503 with a sentence', async () => {
  const kept = ['--data', folder(), '--durability', 'process']
  const first = await startPaysim(kept)
  await first.call('POST', '/_sim/sandboxes', { name: 'shop' })
  await first.stop()

  const paysim = await startPaysim(kept, {}, { descriptors: 64 })
  // The only open database has a request at work, so it cannot sleep in favor of another.
  await paysim.call('POST', '/_sim/behaviors', { behaviors: [{ id: 'wait', do: { hold: 'gate' } }] })
  const held = paysim.call('POST', '/v1/checkouts', ORDER)
  await paysim.held('gate')

  await paysim.call('POST', '/_sim/snapshots', { name: 'early' })
  const ask = onOneConnection(paysim.url)
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  const giveBack = await takeDescriptors(paysim.url)

  for (const path of ['/v1/checkouts', '/_sim/snapshots', '/_sim/snapshots/early']) {
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

// Node remembers an import that failed, and gives the same failure ever after.
test('where they are all taken, no part of the program is loaded, and each is once there are some', async () => {
  const paysim = await startPaysim([], {}, { descriptors: 64 })
  const ask = onOneConnection(paysim.url)
  const key = { 'x-api-key': 'sk_staging_default' }
  expect((await ask('/v1/checkouts', key)).status).toBe(200)
  const giveBack = await takeDescriptors(paysim.url)
  const paths = [
    '/v1/checkouts?orderId=a.b',
    '/healthz',
    '/_sim',
    '/_sim/ui',
    '/openapi.json',
    '/checkout/chk_1',
  ]
  const faulty = { ...key, 'x-sim': 'respond=500' }
  const askAll = async () => [
    ...(await Promise.all(paths.map((path) => ask(path, key)))),
    await ask('/v1/checkouts', faulty),
  ]
  for (const { status, text } of await askAll()) {
    expect(status).toBe(503)
    expect(JSON.parse(text).message).toBe(NO_MORE_FILES)
  }
  giveBack()
  await expect.poll(async () => (await ask('/healthz')).status).toBe(200)
  expect((await askAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404, 500])
})
