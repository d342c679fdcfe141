/** `paysim listen`: prints the webhooks of a running paysim, forwards them, and leaves the endpoint unchanged. */
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connect as connectTo } from '../../src/control-client.ts'
import { createSimulator } from '../../src/index.ts'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { untilDismissed } from '../../src/tools/commands/listen.ts'
import { ORDER } from '../order.ts'
import { openReceiver } from '../receiver.ts'
import { served, servedBytes } from '../served.ts'
import { runPaysim, saying, servedPaysim, spawnPaysim } from './paysim.ts'

/** Resolves once it listens. */
async function listenAt(url: string, ...flags: string[]) {
  const listening = spawnPaysim(['listen', '--target', url, ...flags])
  await saying(listening, 'Ctrl+C')
  return listening
}

const openReceivers = async () => ({ before: await openReceiver(), endpoint: await openReceiver() })

test('listen prints each webhook, forwards its bytes and headers, and returns the response', async () => {
  const { before, endpoint } = await openReceivers()
  const { url, call } = await servedPaysim({ webhook: { url: before.url } })
  const events = ['--events', 'checkout.*', '--events', 'refund.*']
  const listening = await listenAt(url, '--forward-to', endpoint.url, ...events)
  endpoint.reply(418)
  const { body: checkout } = await call('POST', '/v1/checkouts', ORDER)
  await saying(listening, 'attempt 1')

  const [{ body, headers, event }] = endpoint.received as [(typeof endpoint.received)[0]]
  const { body: sandbox } = await call('GET', '/_sim/sandboxes/default')
  verifyWebhook(body, headers, { secret: sandbox.signingSecret })
  expect(headers['user-agent']).toMatch(/^paysim\//)
  expect(listening.said.stdout).toContain(`checkout.created  ${event.id}  ${checkout.id}  418  attempt 1\n`)
  await fetch(`${url}/_sim/settle`, { method: 'POST' })
  const { body: deliveries } = await call('GET', '/_sim/deliveries')
  expect(deliveries.data).toMatchObject([{ eventType: 'checkout.created', attempts: [{ status: 418 }] }])

  listening.child.kill('SIGINT')
  expect(await listening.exited).toMatchObject({ code: 0, stderr: '' })
  expect((await call('GET', '/_sim/webhook')).body).toMatchObject({ url: before.url, events: ['*'] })
})

test('listen responds 204 without a receiver and 502 if it cannot connect, and removes an endpoint that it added', async () => {
  const { url, call } = await servedPaysim()
  const alone = await listenAt(url)
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await saying(alone, '  204  attempt 1\n')
  alone.child.kill('SIGTERM')
  expect(await alone.exited).toMatchObject({ code: 0 })
  expect((await call('GET', '/_sim/webhook')).body).toBeNull()

  const forwarding = await listenAt(url, '--forward-to', 'http://127.0.0.1:1')
  await call('POST', '/v1/customers', { externalId: 'bolt' })
  await saying(forwarding, '  502  attempt 1  connect ECONNREFUSED')
})

test('listen --host sets the name under which a remote paysim reaches it, and serves all addresses but one path', async () => {
  const { url, call } = await servedPaysim()
  const listening = await listenAt(url, '--host', 'localhost')
  const { body: endpoint } = await call('GET', '/_sim/webhook')
  expect(endpoint.url).toMatch(/^http:\/\/localhost:\d+\/webhooks-\w{8}$/)
  const { port, pathname } = new URL(endpoint.url)
  const ask = (at: string) => fetch(at, { method: 'POST', body: '{"type":"from elsewhere"}' })
  for (const address of ['127.0.0.1', '127.0.0.2'])
    expect((await ask(`http://${address}:${port}${pathname}`)).status).toBe(204)
  expect((await ask(`http://127.0.0.1:${port}/`)).status).toBe(404)
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await saying(listening, 'customer.created')
  expect(listening.said.stdout.match(/from elsewhere/g)).toHaveLength(2)
})

test('listen explains why it cannot listen', async () => {
  const { url } = await servedPaysim()
  const wrong = async (...args: string[]) => {
    const { code, stderr } = await runPaysim(['listen', ...args])
    expect(code).toBe(2)
    return stderr
  }
  expect(await wrong('--target', url, '--sandbox', 'none')).toBe(
    `Cannot use the sandbox none at ${url}: Sandbox not found.\n`,
  )
  expect(await wrong('--target', url, '--events', 'refund.complete')).toMatch(
    /^--events\b.*refund\.completed/,
  )
  expect(await wrong('--target', url, '--forward-to', 'localhost')).toMatch(/^--forward-to /)
  expect(await wrong('--target', url, '--host', 'my machine')).toMatch(/^--host /)
})

test('listen continues after a receiver that responds with an odd status', async () => {
  const { url, call } = await servedPaysim({ clock: 'frozen' })
  const odd = ['099', '000', '101']
  const next = [...odd]
  const to = await servedBytes((socket) =>
    socket.once('data', () =>
      socket.end(`HTTP/1.1 ${next.shift()} Odd\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`),
    ),
  )
  const listening = await listenAt(url, '--forward-to', to)
  for (const status of odd) {
    await call('POST', '/v1/customers', { externalId: status })
    await saying(listening, `  502  attempt 1  it answered with the status ${Number(status)}\n`)
  }
})

test('listen stops reading an endless response at the size that paysim would keep', async () => {
  const { url, call } = await servedPaysim()
  const closed = new EventEmitter()
  const to = await served((_, response) => {
    const write = () => {
      while (response.write('x'.repeat(100_000)));
    }
    response.on('drain', write).once('close', () => closed.emit('close'))
    write()
  })
  const listening = await listenAt(url, '--forward-to', to)
  const isClosed = once(closed, 'close')
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await saying(listening, '  200  attempt 1\n')
  await isClosed
})

test('listen continues after a body that is not an event, and after an incomplete one', async () => {
  const { url, call } = await servedPaysim()
  const listening = await listenAt(url)
  const address = new URL((await call('GET', '/_sim/webhook')).body.url)
  for (const body of ['no JSON', 'null', '{"data":5}', '{"type":["x"],"data":{"id":{"toString":1}}}'])
    expect((await fetch(address, { method: 'POST', body })).status).toBe(204)
  const long = fetch(address, { method: 'POST', body: Buffer.alloc(8 * 1024 ** 2) })
  expect(await long.then(({ status }) => status, String)).toBeOneOf([413, 'TypeError: fetch failed'])
  const socket = connect(Number(address.port), address.hostname)
  socket.write(
    `POST ${address.pathname} HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n`,
  )
  // From here on, the receiver is reading the body.
  await once(socket, 'data')
  socket.destroy()
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await saying(listening, 'customer.created')
  expect(listening.said.stdout).toContain('?  ?  ?  204  attempt 1\n?  ?  ?  204  attempt 2\n')
  listening.child.kill('SIGINT')
  expect(await listening.exited).toMatchObject({ code: 0, stderr: '' })
})

test('listen reports once that its paysim is gone and once that it is back, and exits without one', async () => {
  const first = createSimulator()
  const { url } = await first.listen()
  const shop = await connectTo(url).find('default')
  const [lines, renewals, stop] = [[] as string[], new EventEmitter(), new AbortController()]
  const renew = () =>
    shop.webhook.listen('webhooks-1', { url: 'http://127.0.0.1:1' }).finally(() => renewals.emit('renewed'))
  const said = (line: string) => void lines.push(line)
  const listening = untilDismissed(renew, stop.signal, { target: url, out: said, err: said, againMs: 1 })
  const renewed = async () => {
    for (let times = 0; times < 3; times += 1) await once(renewals, 'renewed')
  }
  const alone = await listenAt(url)
  await renewed()
  await first.close()
  await renewed()
  alone.child.kill('SIGINT')
  expect(await alone.exited).toMatchObject({ code: 0, stderr: '' })

  const second = createSimulator()
  onTestFinished(() => second.close())
  await second.listen({ port: Number(new URL(url).port) })
  await renewed()
  stop.abort()
  await listening
  expect(lines).toEqual([
    `Lost the connection to ${url}: no events arrive until paysim is back.`,
    `paysim is back at ${url}: receiving its events again.`,
  ])
})
