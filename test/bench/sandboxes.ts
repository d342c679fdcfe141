/** What a test waits for before it begins: a sandbox that is started over, or one that is a copy of another. */
import { createSimulator, type Sandbox, type Simulator } from 'paysim'
import { type Effort, inProcess, type Measure } from './measure.ts'

export const reset: Measure = async (effort: Effort) => {
  const simulator = createSimulator({ rateLimit: 'off' })
  const shop = simulator.sandbox('default')
  const measured = await inProcess(() => shop.reset())(effort)
  await simulator.close()
  return measured
}

export const fork =
  (checkouts: number): Measure =>
  async (effort: Effort) => {
    const simulator = createSimulator({ rateLimit: 'off' })
    const shop = simulator.sandbox('default')
    for (let n = 0; n < checkouts; n++) await createCheckout(simulator, shop, n)
    const made: Sandbox[] = []
    const measured = await inProcess(() => {
      made.push(simulator.create({ from: shop }))
      if (made.length > 1) simulator.remove(made.shift()!.name)
    })({ ...effort, repeats: 3 })
    await simulator.close()
    return measured
  }

export async function createCheckout(simulator: Simulator, { apiKey }: Sandbox, n: number): Promise<string> {
  const response = await simulator.fetch(
    new Request('http://paysim.test/v1/checkouts', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        orderId: `order-${n}`,
        externalId: 'acme',
        amount: 1000,
        successUrl: 'https://shop.test/ok',
        cancelUrl: 'https://shop.test/no',
      }),
    }),
  )
  if (response.status !== 201) throw new Error(await response.text())
  return ((await response.json()) as { id: string }).id
}
