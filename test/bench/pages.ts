/** How long a page takes: from the request, without a socket, to its HTML. */
import { createSimulator } from 'paysim'
import type { Measure } from './measure.ts'

const HOST = 'http://127.0.0.1'

const ORDER = {
  orderId: 'order-1001',
  externalId: 'acme',
  amount: 1000,
  successUrl: 'https://shop.test/ok',
  cancelUrl: 'https://shop.test/no',
}

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
      body: JSON.stringify(ORDER),
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

/** Of a dashboard page or a search, in CPU time: the page that takes longest, each opened right after a request. */
const dashboard =
  (paths: (checkout: string, request: string) => string[]): Measure =>
  async ({ repeats, smaller }) => {
    const simulator = createSimulator({ rateLimit: 'off', clock: 'frozen', seed: 1 })
    let request = ''
    const call = async (method: string, path: string, body?: object) => {
      const answer = await simulator.fetch(
        new Request(HOST + path, {
          method,
          headers: {
            'x-api-key': 'sk_staging_default',
            ...(body && {
              'content-type': 'application/json',
              'idempotency-key': `${path}-${JSON.stringify(body)}`,
            }),
          },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
      request = answer.headers.get('x-sim-request') ?? ''
      return ((await answer.json()) as { id: string }).id
    }
    const twice = async (path: string, body: object) => {
      await call('POST', path, body)
      return call('POST', path, body)
    }
    simulator.sandbox('default').webhook.put({ url: 'http://127.0.0.1:9/' })
    let checkout = ''
    for (let sale = 0; sale < 300 / smaller; sale += 1) {
      checkout = await twice('/v1/checkouts', { ...ORDER, orderId: `order-${sale}` })
      await twice(`/v1/checkouts/${checkout}/confirm`, {})
      const refund = await call('POST', `/v1/checkouts/${checkout}/refunds`, { amount: 5 })
      for (let poll = 0; poll < 29; poll += 1) await call('GET', `/v1/refunds/${refund}`)
    }
    for (let number = 1; number < 50; number += 1) simulator.sandbox(`worker-${number}`)

    const samples: number[] = []
    let slowest = ''
    for (const path of paths(checkout, request)) {
      const times: number[] = []
      for (let turn = 0; turn < repeats; turn += 1) {
        await call('GET', '/v1/refunds?limit=1')
        const before = process.cpuUsage()
        const answer = await simulator.fetch(new Request(`${HOST}/_sim/ui${path}`))
        await answer.text()
        const { user, system } = process.cpuUsage(before)
        times.push((user + system) / 1000)
      }
      if (median(times) > median(samples)) slowest = path
      if (slowest === path) samples.splice(0, samples.length, ...times)
    }
    await simulator.close()
    return {
      samples,
      unit: 'ms',
      detail: `CPU time of ${slowest || 'the overview'}, ${samples.length} times`,
    }
  }

const median = (times: readonly number[]) =>
  times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0

export const slowestDashboardPage = dashboard((checkout, request) => [
  ...[
    '',
    '/requests',
    '/requests?only=failing',
    `/requests/${request}`,
    `/requests/${request}/beside/${request}`,
  ],
  ...[
    '/timeline',
    `/timeline?of=${checkout}`,
    `/resources/${checkout}`,
    '/resources',
    '/resources/checkouts',
  ],
  ...['/ledger', '/conduct', '/outbox', '/events', '/events?delivery=failed', '/behaviors', '/sandboxes'],
  ...['/reference', '/compare?with=worker-7'],
])

export const slowestSearch = dashboard(() => ['/find?q=order-7', '/find?q=1250', '/find?q=nothing'])
