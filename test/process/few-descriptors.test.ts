/** A process that may open few files: its sandboxes take turns, and where nothing more can be opened it says so. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ORDER } from '../time/stage.ts'
import { folder } from './folder.ts'
import { startPaysim } from './paysim.ts'

const NAMES = Array.from({ length: 40 }, (_, number) => `s${number}`)
const keyOf = (name: string) => ({ 'x-api-key': `sk_staging_${name}` })

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

test('where connections have taken them all, a sandbox that cannot be opened is a 503 with a sentence', async () => {
  const kept = ['--data', folder(), '--durability', 'process']
  const first = await startPaysim(kept)
  await first.call('POST', '/_sim/sandboxes', { name: 'shop' })
  await first.stop()

  const paysim = await startPaysim(kept, {}, { descriptors: 64 })
  // The only open database has a request at work, so it cannot sleep in favor of another.
  await paysim.call('POST', '/_sim/behaviors', { behaviors: [{ id: 'wait', do: { hold: 'gate' } }] })
  const held = paysim.call('POST', '/v1/checkouts', ORDER)
  await paysim.held('gate')

  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ask = (path: string, headers = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(`${paysim.url}${path}`, { agent, headers }, async (answer) => {
        const text = (await answer.setEncoding('utf8').toArray()).join('')
        resolve({ status: answer.statusCode, text })
      })
      asked.on('error', reject).end()
    })
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  const { port } = new URL(paysim.url)
  const sockets = Array.from({ length: 64 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
  // The system accepts for the process first; a connection that it has no descriptor for is closed.
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))

  const refused = await ask('/v1/checkouts', keyOf('shop'))
  expect(refused.status).toBe(503)
  expect(JSON.parse(refused.text).message).toBe(
    'No more files can be opened (EMFILE; ulimit -n says how many may be): nothing was changed, send it again later',
  )
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await ask('/v1/checkouts', keyOf('shop'))).status).toBe(200)
  await paysim.call('POST', '/_sim/gates/gate/release')
  expect((await held).status).toBe(201)
})
