/** What a platform's developer writes against the generated types: a payment and its refund. */
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Checkout = components['schemas']['Checkout']

type Event = components['schemas']['Event']

/** The type of an event says what its data is. */
export const refundedCheckout = (event: Event): string | null | undefined =>
  event.type === 'refund.completed' ? event.data.checkoutId : undefined

export async function drive(baseUrl: string, apiKey: string) {
  const client = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } })
  const keyed = (key: string) => ({ header: { 'Idempotency-Key': key } })

  const created = await client.POST('/v1/checkouts', {
    params: keyed('create'),
    body: {
      orderId: 'order-1',
      externalId: 'biz-1',
      amount: 1000,
      successUrl: 'https://shop.test/ok',
      cancelUrl: 'https://shop.test/no',
    },
  })
  const checkout: Checkout = required(created.data)

  const path = { id: checkout.id }
  const confirmed = await client.POST('/v1/checkouts/{id}/confirm', { params: { path, ...keyed('confirm') } })
  const status: 'pending' | 'approved' | 'confirmed' | 'canceled' = required(confirmed.data).status

  const refund = { params: { path, ...keyed('refund') }, body: { amount: 250.5 } }
  const refunded = required((await client.POST('/v1/checkouts/{id}/refunds', refund)).data)
  const again = await client.POST('/v1/checkouts/{id}/refunds', refund)
  const replayed: string | null = again.response.headers.get('idempotent-replayed')

  const tooMuch = await client.POST('/v1/checkouts/{id}/refunds', {
    params: { path },
    body: { amount: 1000 },
  })
  const message: string | undefined = tooMuch.error?.message

  const listed = await client.GET('/v1/refunds', { params: { query: { checkoutId: checkout.id, limit: 5 } } })
  const refunds = required(listed.data).data.map(({ id, amount }) => ({ id, amount }))

  return { status, refund: refunded.id, amount: refunded.amount, replayed, message, refunds }
}

function required<Data>(data: Data | undefined): Data {
  if (data === undefined) throw new Error('refused')
  return data
}

/** Never called: the types must refuse these. */
export async function mistakes(client: ReturnType<typeof createClient<paths>>) {
  // @ts-expect-error a path that is not served
  await client.POST('/v1/checkout', { body: {} })
  // @ts-expect-error a field that is missing
  await client.POST('/v1/checkouts/{id}/refunds', { params: { path: { id: 'x' } }, body: {} })
  // @ts-expect-error an amount as a string
  await client.POST('/v1/checkouts/{id}/refunds', { params: { path: { id: 'x' } }, body: { amount: '1' } })
  // @ts-expect-error a path without its id
  await client.POST('/v1/checkouts/{id}/confirm', {})
  // @ts-expect-error a state that is none
  await client.GET('/v1/checkouts', { params: { query: { status: 'paid' } } })
}
