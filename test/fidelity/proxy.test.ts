/** `paysim fidelity --proxy`: the app gets the responses of the service, and each request is reported. */
import { once } from 'node:events'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { served } from '../served.ts'
import { fidelity } from './given.ts'

/** The proxy in front of a service, its output, and its result after it stops. */
async function proxied(answer: Parameters<typeof served>[0]) {
  const target = await served(answer)
  const life = new Lifetime()
  const lines: string[] = []
  const result = fidelity({ target, proxy: 0 }, life, (line) => lines.push(line))
  await expect.poll(() => lines.join()).toContain('forwards everything to')
  const stop = async () => {
    await life.end()
    return result
  }
  return { url: /http:\S+/.exec(lines[0]!)![0], lines, stop }
}

const BODY = JSON.stringify({ error: 'Not Found', message: 'Checkout not found' })

test('a compressed response is passed on unchanged, and not compared', async () => {
  const sent = gzipSync(BODY)
  const { url, lines } = await proxied((_, response) =>
    response.writeHead(404, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(sent),
  )
  const asked = request(`${url}/v1/checkouts/none`).end()
  const [response] = await once(asked, 'response')
  expect(Buffer.concat(await response.toArray())).toEqual(sent)
  await expect
    .poll(() => lines.at(-1))
    .toBe('! GET /v1/checkouts/none: the response is compressed with gzip, so it is not compared')
})

test('a body arrives completely, with a length or in chunks', async () => {
  const bodies: string[] = []
  const { url, lines } = await proxied(async (incoming, response) => {
    bodies.push(`${incoming.method} ${Buffer.concat(await incoming.toArray())}`)
    response.end('{}')
  })
  await fetch(`${url}/v1/checkouts`, { method: 'POST', body: '{"amount":1}' })
  const chunks = request(`${url}/v1/checkouts`, { method: 'POST' })
  chunks.write('{"amount"')
  chunks.end(':2}')
  await once(chunks, 'response')
  await fetch(`${url}/v1/checkouts/x/confirm`, { method: 'POST' })
  await fetch(`${url}/v1/checkouts`)
  expect(bodies).toEqual(['POST {"amount":1}', 'POST {"amount":2}', 'POST ', 'GET '])
  await expect.poll(() => lines.at(-1)).toBe('  GET /v1/checkouts: 200')
})

test('a connection that the service breaks is broken for the app as well, and not compared', async () => {
  const { url, lines, stop } = await proxied((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id"')
    response.socket!.destroySoon()
  })
  await expect(fetch(`${url}/v1/checkouts`).then((response) => response.text())).rejects.toThrow()
  await expect.poll(() => lines.at(-1)).toMatch(/^! GET \/v1\/checkouts: the response broke off, /)
  expect(await stop()).toMatchObject({ code: 2 })
})

test('a response over 1 MB is passed on and not compared', async () => {
  const { url, lines } = await proxied((_, response) => response.end('x'.repeat(2_000_000)))
  expect(await (await fetch(`${url}/v1/checkouts`)).text()).toHaveLength(2_000_000)
  await expect
    .poll(() => lines.at(-1))
    .toBe('! GET /v1/checkouts: the response is larger than 1 MB, so it is not compared')
})

test('a request that the app aborts, or that the end of the proxy interrupts, is not compared', async () => {
  const arrived: string[] = []
  const { url, lines, stop } = await proxied(({ url = '' }) => arrived.push(url))
  const app = new AbortController()
  const requests = [
    fetch(`${url}/v1/checkouts/left`, { signal: app.signal }),
    fetch(`${url}/v1/checkouts/silent`),
  ]
  const settled = Promise.allSettled(requests)
  await expect.poll(() => arrived).toHaveLength(2)
  app.abort()
  await expect
    .poll(() => lines.at(-1))
    .toBe('! GET /v1/checkouts/left: the app did not wait for the response')
  await stop()
  await settled
  expect(lines).toContain('! GET /v1/checkouts/silent: it had no response yet')
})
