export const URLS = { successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }

/** The body of POST /v1/checkouts, for a test that needs any order. */
export const ORDER = { orderId: 'order-1', externalId: 'acme', amount: 1000, ...URLS }
