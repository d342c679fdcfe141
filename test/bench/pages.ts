/** How long a buyer waits for a page: from the request, without a socket, to its HTML. */
import { createSimulator } from 'paysim'
import type { Measure } from './measure.ts'

const HOST = 'http://127.0.0.1'

const FORMS: [step: string, form: Record<string, string>][] = [
  ['log-in', { contact: 'nobody' }],
  ['log-in', { contact: 'ada@example.test' }],
  ['code', { code: '1' }],
  ['code', { code: '000000' }],
  ['method', {}],
  ['method', { method: 'bank_account' }],
  ['application', {}],
  ['application', { first: 'Test', last: 'Approved', business: 'Example', nationalId: '123456789' }],
  ['bank', {}],
  ['bank', { routing: '222222226', account: '000123456789' }],
]

/** A buyer's way to the review, with a mistake on each page; its sample is the page that took longest. */
export const slowestPage: Measure = async ({ repeats }) => {
  const simulator = createSimulator({ rateLimit: 'off' })
  await walk(simulator)
  const samples: number[] = []
  for (let turn = 0; turn < repeats; turn++) samples.push(Math.max(...(await walk(simulator))))
  await simulator.close()
  return { samples, unit: 'ms', detail: `the slowest of ${FORMS.length + 1}, ${samples.length} times` }
}

async function walk({ fetch }: ReturnType<typeof createSimulator>): Promise<number[]> {
  const created = await fetch(
    new Request(`${HOST}/v1/checkouts`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' },
      body: JSON.stringify({
        orderId: 'order-1001',
        externalId: 'acme',
        amount: 1000,
        successUrl: 'https://shop.test/ok',
        cancelUrl: 'https://shop.test/no',
      }),
    }),
  )
  const { checkoutUrl } = (await created.json()) as { checkoutUrl: string }
  const times: number[] = []
  let cookie = ''
  let token = ''

  async function open(url: string, form?: Record<string, string>): Promise<void> {
    const body = form && new URLSearchParams({ ...form, token })
    const request = new Request(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie },
      ...(body && { body }),
    })
    const before = performance.now()
    const response = await fetch(request)
    const html = await response.text()
    times.push(performance.now() - before)
    if (response.status > 400) throw new Error(`${url} answered ${response.status}`)
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? token
    const next = response.headers.get('location')
    if (next) await open(new URL(next, HOST).href)
  }

  await open(checkoutUrl)
  for (const [step, form] of FORMS) await open(`${checkoutUrl}/${step}`, form)
  return times
}
