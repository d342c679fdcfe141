import type { SimulatorOptions } from '../../src/spec/options/simulator.ts'
import { asPlatform, newSimulator } from '../control/shop.ts'
import { ORDER } from '../order.ts'
import { openReceiver, type Reply } from '../receiver.ts'

export const START = Date.parse('2026-01-01T00:00:00Z')
export const SECOND = 1_000
export const DAY = 24 * 60 * 60 * SECOND

export async function openStage(options: SimulatorOptions & { reply?: Reply; webhooks?: boolean } = {}) {
  const { reply, webhooks = false, ...rest } = options
  const receiver = await openReceiver(reply)
  const simulator = newSimulator({
    seed: 7,
    clock: 'frozen@2026-01-01T00:00:00Z',
    rateLimit: 'off',
    ...(webhooks && { webhook: { url: receiver.url } }),
    ...rest,
  })
  const shop = simulator.sandbox('default')

  const call = asPlatform(simulator, shop)

  /** A checkout that has been paid, so that it can be refunded. */
  async function paidCheckout(externalId = 'acme'): Promise<string> {
    const { body } = await call('POST', '/v1/checkouts', { ...ORDER, externalId })
    await call('POST', `/v1/checkouts/${body.id}/confirm`)
    return body.id
  }

  const refund = async (checkoutId: string, amount: number) =>
    (await call('POST', `/v1/checkouts/${checkoutId}/refunds`, { amount })).body

  return { simulator, shop, receiver, call, paidCheckout, refund }
}
