/** What time costs: work that falls due, and receivers that do not answer. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSimulator } from 'paysim'
import { createCheckout } from './checkout.ts'
import { type Measure, requestText, slowest99Of } from './measure.ts'
import { type Server, startPaysim } from './server.ts'

const HEADERS = { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' }
const CHECKOUT = {
  orderId: 'order-1001',
  externalId: 'acme',
  amount: 1000,
  successUrl: 'https://shop.test/ok',
  cancelUrl: 'https://shop.test/no',
}

type Simulator = ReturnType<typeof createSimulator>

async function post({ fetch }: Simulator, path: string, body: unknown) {
  const request = new Request(`http://paysim.test${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  })
  return JSON.parse(await (await fetch(request)).text())
}

const frozen = (options: object = {}) => createSimulator({ rateLimit: 'off', clock: 'frozen', ...options })

const timed = async (work: () => Promise<unknown>) => {
  const before = performance.now()
  await work()
  return performance.now() - before
}

/** As many refunds as a busy day leaves pending, all due within one advance. */
export const dueWork =
  (refunds: number): Measure =>
  async ({ rounds }) => {
    const samples: number[] = []
    for (let round = 0; round < rounds; round++) {
      const simulator = frozen()
      const { id } = await post(simulator, '/v1/checkouts', { ...CHECKOUT, amount: 1_000_000 })
      await post(simulator, `/v1/checkouts/${id}/confirm`, {})
      for (let n = 0; n < refunds; n++) await post(simulator, `/v1/checkouts/${id}/refunds`, { amount: 1 })
      const { clock } = simulator.sandbox('default')
      samples.push(await timed(() => clock.advance('1d')))
      await simulator.close()
    }
    return { samples, unit: 'ms', detail: `${refunds} refunds completed, in memory` }
  }

/** A year in which an event is tried ten times, at an address where no server listens. */
export const yearOfRetries: Measure = async ({ rounds }) => {
  const samples: number[] = []
  for (let round = 0; round < rounds; round++) {
    const simulator = frozen({ webhook: { url: await closedAddress() } })
    await post(simulator, '/v1/customers', { externalId: 'acme' })
    const { clock } = simulator.sandbox('default')
    samples.push(await timed(() => clock.advance('365d')))
    await simulator.close()
  }
  return { samples, unit: 'ms', detail: 'ten attempts, all refused by the machine itself' }
}

/** What a receiver that never answers adds to the slowest requests, against a paysim that delivers nothing. */
export const silentReceiver: Measure = async (effort) => {
  const receiver = createServer(() => {})
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const asked = (server: Server) => ({ server, request: requestText(createCheckout), status: 201 })
  const contestants = {
    with: asked(await startPaysim('--webhook-url', `http://127.0.0.1:${port}/`)),
    without: asked(await startPaysim()),
  }
  const measured = await slowest99Of(contestants, effort)
  await Promise.all(Object.values(contestants).map(({ server }) => server.stop()))
  receiver.closeAllConnections()
  receiver.close()
  return measured
}

async function closedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/`
}
