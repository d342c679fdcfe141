/** Events from our own sandbox, so that a receiver that reads the resource to verify an event finds it. */
import type { SandboxControl } from '../../tester/control/control.ts'
import { CASES, type Material, type RefundEvents } from './cases.ts'

interface Platform {
  shop: SandboxControl
  /** Responds to a request under `/v1`. */
  answer(request: Request): Response | Promise<Response>
}

/** Every case uses its own refunds. */
const REFUNDS = CASES.length * 2 + 50
/** Two decimals, neither of them 0, so that only one case depends on how amounts are formatted. */
const ODD_AMOUNT = 1.23
const SLOW_MS = 3_000
const ORDER = {
  orderId: 'grade-1',
  externalId: 'grade',
  amount: 10_000,
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
}

export async function readMaterial(platform: Platform, secret: string, now: number): Promise<Material> {
  const { shop } = platform
  const checkout = await post(platform, '/v1/checkouts', ORDER)
  await post(platform, `/v1/checkouts/${checkout.id}/confirm`, {})
  const refund = async (amount: number): Promise<RefundEvents> => {
    const { id } = await post(platform, `/v1/checkouts/${checkout.id}/refunds`, { amount })
    shop.refunds.complete(id)
    return eventsOf(shop, id)
  }
  const oldest = await refund(ODD_AMOUNT)
  const whole = await refund(25)
  const made: RefundEvents[] = []
  while (made.length < REFUNDS) made.push(await refund(ODD_AMOUNT))
  const refunds = made[Symbol.iterator]()
  return {
    secret,
    now,
    slowMs: SLOW_MS,
    oldEvent: oldest.created,
    wholeAmount: whole.completed,
    nextRefund() {
      const { value } = refunds.next()
      if (!value) throw new Error('There are more cases than refunds.')
      return value
    },
  }
}

function eventsOf(shop: SandboxControl, refundId: string): RefundEvents {
  const [created, completed] = shop.events({ resourceId: refundId })
  return { created: bodyOf(shop, created!.id), completed: bodyOf(shop, completed!.id) }
}

const bodyOf = (shop: SandboxControl, id: string) => shop.read('events.get', { id })

async function post({ shop, answer }: Platform, path: string, body: object): Promise<{ id: string }> {
  const response = await answer(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
  return (await response.json()) as { id: string }
}
