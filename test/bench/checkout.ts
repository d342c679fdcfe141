/** The request that most rows are about. */
import type { Call } from './measure.ts'

export const createCheckout: Call = {
  method: 'POST',
  path: '/v1/checkouts',
  body: {
    orderId: 'order-1001',
    externalId: 'acme',
    amount: 1000,
    successUrl: 'https://shop.test/ok',
    cancelUrl: 'https://shop.test/no',
  },
}
