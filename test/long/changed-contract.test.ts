/**
 * The cost of a contract change: a field is one line, a state one row. Each change is made in a copy of the source, which is then
 * built, started and tested from outside.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProfileKey } from '../../src/spec/contract/profile.ts'
import type { SimulatorOptions } from '../../src/spec/options/simulator.ts'
import type { createSimulator } from '../../src/tools/compose.ts'
import { ORDER } from '../order.ts'
import { servedPaysim, spawnPaysim, startPaysim } from '../process/paysim.ts'
import { DEFINITION, LINES } from './dispute-change.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/** The inputs of the build. */
const COPIED = [
  'src',
  'docs',
  'scenarios',
  'templates',
  'skills',
  'fixtures',
  'examples',
  'package.json',
  'rolldown.config.ts',
  'written-types.ts',
  'text-imports.ts',
  'tsconfig.json',
  'README.md',
  'llms.txt',
  'paysim.schema.json',
]

interface Change {
  file: string
  /** The new line goes in front of the match. */
  before: RegExp
  line: string
}

const CHANGES: readonly Change[] = [
  {
    file: 'src/spec/contract/resources/customer.ts',
    before: /^ {4}phone: /m,
    line: "    vatId: field.text({ sent: 'optional', changes: true, filter: 'few', search: 'part' }),",
  },
  {
    file: 'src/spec/contract/resources/customer.ts',
    before: /^ {4}phone: /m,
    line: `    labels: field.map({ sent: 'optional', filter: 'few', search: 'part' }),
    score: field.number({ sent: 'optional', filter: 'few' }),
    isKnown: field.boolean({ sent: 'optional', filter: 'few' }),
    since: field.time({ sent: 'optional', filter: 'few' }),`,
  },
  {
    file: 'src/spec/contract/resources/checkout.ts',
    before: /^ {4}amountRefunded: /m,
    line: "    shelfLabels: field.map({ sent: 'optional', filter: 'few' }),",
  },
  {
    file: 'src/spec/contract/resources/authorization.ts',
    before: /^ {4}void: \{ from/m,
    line: "    expire: { from: ['authorized'], to: 'expired', by: 'time', after: '7d', option: 'expireAfter', decision: 'D2', ledger: 'none' },",
  },
  {
    file: 'src/spec/contract/resources/checkout.ts',
    before: /^ {4}cancel: \{ from/m,
    line: "    recall: { from: ['confirmed'], to: 'recalled', by: 'time', after: '90d', option: 'recallAfter', decision: 'D1', ledger: { kind: 'dispute', amount: 'amount' } },",
  },
  ...LINES,
]

let copy: string
let command: string
let create: typeof createSimulator

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'paysim-changed-'))
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'src/spec/contract/resources/dispute.ts'), DEFINITION)
  for (const { file, before, line } of CHANGES) {
    const path = join(copy, file)
    const source = readFileSync(path, 'utf8')
    const changed = source.replace(before, (found) => `${line}\n${found}`)
    expect(changed).not.toBe(source)
    writeFileSync(path, changed)
  }
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
  command = join(copy, 'dist/main.js')
  create = (await import(join(copy, 'dist/index.js'))).createSimulator
}, 120_000)

afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** The options may have names that only the copy knows. */
const start = (options: object = {}) => servedPaysim(options as SimulatorOptions, create)
const startFrozen = (options: object = {}) => start({ ...options, clock: 'frozen' })

const paysim = (...args: string[]) => spawnPaysim(args, {}, { command, cwd: copy }).exited

type Call = Awaited<ReturnType<typeof start>>['call']

const advance = (call: Call, by: string) => call('POST', '/_sim/clock', { advance: by })

const typesOf = async (call: Call, type: string) =>
  (await call('GET', `/v1/events?type=${type}`)).body.data.map(
    (event: { data: { id: string } }) => event.data.id,
  )

describe('a field that is one line of a definition', () => {
  it('has a profile key that renames it', async () => {
    expect((await paysim('profile')).stdout).toMatch(/^ +vatId: vatId\b/m)
  })

  it.each([
    ['vatId', 'DE1', 'vatId=DE1', 'vatId=DE2', 7],
    ['labels', { color: 'red' }, 'labels[color]=red', 'labels[color]=blue', { color: 1 }],
    ['score', 1.5, 'score=1.5', 'score=2', '1.5'],
    ['isKnown', true, 'isKnown=true', 'isKnown=false', 'yes'],
    [
      'since',
      '2026-03-01T00:00:00.000Z',
      'since=2026-03-01T00:00:00.000Z',
      'since=2026-03-02T00:00:00.000Z',
      7,
    ],
  ] as const)(
    'is stored, returned, filtered and described: %s',
    async (name, value, found, missed, wrong) => {
      const { call, url } = await start({ profile: { fields: { customer: { [name]: 'theirs' } } } })
      const sent = await call('POST', '/v1/customers', { externalId: 'c-1', theirs: value })
      expect([sent.status, sent.body.theirs]).toEqual([201, value])
      expect(sent.body).not.toHaveProperty(name)
      const [event] = (await call('GET', '/v1/events?type=customer.created')).body.data
      expect(event.data).toEqual(sent.body)
      expect((await call('GET', `/v1/customers/${sent.body.id}`)).body).toEqual(sent.body)
      expect((await call('POST', '/v1/customers', { externalId: 'c-2' })).body.theirs).toBeNull()
      expect((await call('POST', '/v1/customers', { externalId: 'c-3', theirs: wrong })).status).toBe(400)
      expect(() => create({ profile: { lists: { limit: name } } })).toThrow(
        'must not be the name of a filter',
      )
      const count = async (query: string) =>
        (await call('GET', `/v1/customers?${query.replace(name, 'theirs')}`)).body.data.length
      expect([await count(found), await count(missed)]).toEqual([1, 0])
      const { components, paths } = (await call('GET', '/openapi.json')).body
      expect(components.schemas.Customer.required).toContain('theirs')
      expect(components.schemas.CustomerCreate.properties).toHaveProperty('theirs')
      const parameters = paths['/v1/customers'].get.parameters.map(({ name }: { name: string }) => name)
      expect(parameters).toContain('theirs')
      const page = await fetch(`${url}/_sim/ui/resources/customers?${found}`)
      expect(page.status).toBe(200)
    },
  )

  it('has its type in the declarations of a fixture', async () => {
    const { withWrittenTypes } = await import(join(copy, 'written-types.ts'))
    const text = 'export type Fixture = Written<typeof Fixture>;'
    const written = withWrittenTypes(text, 'spec/options/fixture.d.ts')
    expect(written).toContain('labels?: Record<string, string> | undefined')
  })

  it('can be required of a new checkout by a profile', async () => {
    const requests = { checkout: ['externalId', 'amount', 'shelfLabels'] }
    const { call } = await start({ profile: { requests } })
    const order = { externalId: 'c-1', amount: 5 }
    expect((await call('POST', '/v1/checkouts', order)).body.message).toBe(
      'Missing required field: shelfLabels',
    )
    const { body } = await call('POST', '/v1/checkouts', { ...order, shelfLabels: { color: 'red' } })
    expect(body).toMatchObject({ shelfLabels: { color: 'red' }, orderId: null })
  })

  it('can be set in a fixture, is searchable, and is a column and a filter of the list', async () => {
    const fixture = { customers: [{ externalId: 'c-1', vatId: 'DE123' }] }
    const { call, url } = await start({ fixture })
    expect((await call('GET', '/v1/customers')).body.data).toMatchObject([{ vatId: 'DE123' }])
    const page = async (path: string) => (await fetch(`${url}${path}`)).text()
    expect(await page('/_sim/ui/resources/customers')).toMatch(/<th[^>]*>.*vatId/)
    expect(await page('/_sim/ui/resources/customers?vatId=DE123')).toContain('DE123')
    expect(await page('/_sim/ui/resources/customers?vatId=DE9')).not.toContain('c-1')
    expect(await (await fetch(`${url}/_sim/ui/find?q=E12`)).text()).toContain('DE123')
  })
})

describe('a state that is one row of a definition', () => {
  const WEEK = '7d'

  async function authorized(call: Call) {
    await call('POST', '/v1/customers', { externalId: 'c-1' })
    const { status, body } = await call(
      'POST',
      '/v1/authorizations',
      { externalId: 'c-1', amount: 25 },
      'key-1',
    )
    expect(status).toBe(201)
    return body.id as string
  }

  it('is entered after its delay, with an event', async () => {
    const { call } = await startFrozen()
    const id = await authorized(call)
    await advance(call, '6d')
    expect((await call('GET', `/v1/authorizations/${id}`)).body).toMatchObject({
      status: 'authorized',
      expiredAt: null,
    })
    const { body } = await advance(call, '1d')
    expect(body.happened).toMatchObject([
      { what: 'authorization.expired', id, detail: `authorization ${id} expired` },
    ])
    const { body: expired } = await call('GET', `/v1/authorizations/${id}`)
    expect(expired).toMatchObject({ status: 'expired', expiredAt: body.happened[0].at })
    expect(await typesOf(call, 'authorization.expired')).toEqual([id])
    expect((await call('GET', '/v1/authorizations?status=expired')).body.data).toHaveLength(1)
  })

  it('leaves the payment open if the platform could have prevented it', async () => {
    const { call, url } = await startFrozen()
    const id = await authorized(call)
    const { body: paid } = await call('POST', '/v1/checkouts', ORDER, 'key-2')
    await call('POST', `/v1/checkouts/${paid.id}/confirm`, {}, 'key-3')
    await advance(call, WEEK)
    const { findings } = (await call('GET', '/_sim/audit')).body
    expect(findings).toMatchObject([
      { rule: 'C14', what: '1 authorization expired, and neither captured nor voided', about: [id] },
    ])
    const { body: story } = await call('GET', `/_sim/explain/${id}`)
    expect(story.sentences.map(({ what }: { what: string }) => what)).toEqual([
      `${id} is expired, and neither captured nor voided`,
    ])
    expect(story.text).toContain(`time passed → authorization.expired (${id})`)
    const orders = await (await fetch(`${url}/_sim/ui/`)).text()
    expect(orders.match(/>left open</g)).toHaveLength(1)
  })

  it('can be set in a fixture', async () => {
    const authorizations = [{ externalId: 'c-1', amount: 5, status: 'expired' }]
    const { call } = await start({ fixture: { customers: [{ externalId: 'c-1' }], authorizations } })
    expect((await call('GET', '/v1/authorizations')).body.data).toMatchObject([{ status: 'expired' }])
  })

  it('refuses operations that the earlier state allowed', async () => {
    const { call } = await startFrozen()
    const id = await authorized(call)
    await advance(call, WEEK)
    const { status, body } = await call('POST', `/v1/authorizations/${id}/capture`, {}, 'key-2')
    expect([status, body.message]).toEqual([409, expect.stringContaining('expired')])
  })

  it('cannot be entered from another state', async () => {
    const { call } = await startFrozen()
    const id = await authorized(call)
    await call('POST', `/v1/authorizations/${id}/capture`, {}, 'key-2')
    expect((await advance(call, '30d')).body.happened).toEqual([])
    expect((await call('GET', `/v1/authorizations/${id}`)).body).toMatchObject({
      status: 'captured',
      expiredAt: null,
    })
  })

  it('is entered on time after a restart', async () => {
    const data = join(copy, 'data')
    const first = await startFrozen({ data })
    const id = await authorized(first.call)
    await advance(first.call, '6d')
    await first.stop()
    const { call } = await startFrozen({ data })
    await advance(call, '1d')
    expect(await typesOf(call, 'authorization.expired')).toEqual([id])
  })

  it('has a name, an event and a delay that a profile can change', async () => {
    const states = { authorization: { expired: 'lapsed' } }
    const events = { 'authorization.expired': 'authorization.lapsed' }
    const profile = { states, events, authorizations: { delay: '1d' } }
    const { call } = await startFrozen({ profile })
    const id = await authorized(call)
    await advance(call, '1d')
    expect((await call('GET', `/v1/authorizations/${id}`)).body.status).toBe('lapsed')
    expect(await typesOf(call, 'authorization.lapsed')).toEqual([id])
  })

  it('has a sandbox option, wherever refundDelay has one', async () => {
    const { call, url } = await startPaysim(
      ['--clock', 'frozen', '--expire-after', '2d'],
      {},
      { command, cwd: copy },
    )
    expect((await call('GET', '/_sim/sandboxes')).body.data).toMatchObject([{ expireAfter: '2d' }])
    const id = await authorized(call)
    expect((await advance(call, '2d')).body.happened).toMatchObject([{ what: 'authorization.expired', id }])
    const body = JSON.stringify({ expireAfter: '1h' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${url}/_sim/settings`, { method: 'PUT', headers, body })).status).toBe(204)
    await call('POST', '/v1/authorizations', { externalId: 'c-1', amount: 25 }, 'key-2')
    expect((await advance(call, '1h')).body.happened).toHaveLength(1)
    expect(await (await fetch(`${url}/_sim/ui/sandboxes`)).text()).toContain(
      'How long an authorization stays authorized',
    )
    const scenario = join(copy, 'expiry.scenario.yaml')
    writeFileSync(
      scenario,
      `name: expires
sandbox: { clock: {}, expireAfter: 3d }
steps:
  - call: POST /v1/customers
    json: { externalId: c-1 }
  - call: POST /v1/authorizations
    json: { externalId: c-1, amount: 5 }
    capture: { id: $.id }
  - sim: { advance: 3d }
  - call: GET /v1/authorizations/\${id}
    expect: { json: { status: expired } }
`,
    )
    const played = await paysim('run', scenario)
    expect(played.stdout).toContain('1 passed')
  })

  it('can be entered on demand by a tester, and a recording repeats that step', async () => {
    const { call, url } = await startFrozen()
    const id = await authorized(call)
    expect(await (await fetch(`${url}/_sim/ui/resources/${id}`)).text()).toContain('Expire now')
    const { body } = await call('POST', `/_sim/authorizations/${id}/expire`)
    expect(body).toMatchObject({ id, status: 'expired' })
    expect((await call('POST', `/_sim/authorizations/${id}/expire`)).status).toBe(409)
    await call('GET', `/v1/authorizations/${id}`)
    const scenario = join(copy, 'recorded.yaml')
    expect((await paysim('record', '--target', url, '--out', scenario)).code).toBe(0)
    expect(readFileSync(scenario, 'utf8')).toMatch(/expire: "?\$\{/)
    const played = await paysim('run', scenario)
    expect(played.stdout).toContain('1 passed')
  })

  it('can be delayed by a behavior until the platform has read the resource', async () => {
    const { call } = await startFrozen()
    await call('POST', '/_sim/behaviors', {
      when: { resource: 'authorization', enters: 'authorized' },
      do: { transition: 'expired', after: { polls: 2 } },
    })
    const id = await authorized(call)
    const read = async () => (await call('GET', `/v1/authorizations/${id}`)).body.status
    expect([await read(), await read()]).toEqual(['authorized', 'expired'])
    const [acted] = (await call('GET', '/_sim/behaviors/background')).body.data
    expect(acted.did).toBe('expires it when it is read 2 times')
  })

  it('can be entered early by a behavior', async () => {
    const { call } = await startFrozen()
    await call('POST', '/_sim/behaviors', {
      when: { resource: 'authorization', enters: 'authorized' },
      do: { transition: 'expired', after: { clock: '1h' } },
    })
    const id = await authorized(call)
    await advance(call, '1h')
    expect((await call('GET', `/v1/authorizations/${id}`)).body.status).toBe('expired')
  })
})

describe('a resource that is one file', () => {
  const SALE = { ...ORDER, amount: 40 }

  async function disputed(call: Call): Promise<{ id: string; checkoutId: string }> {
    const { body: checkout } = await call('POST', '/v1/checkouts', SALE, 'key-1')
    await call('POST', `/v1/checkouts/${checkout.id}/confirm`, {}, 'key-2')
    const { status, body } = await call('POST', `/_sim/checkouts/${checkout.id}/disputes`)
    expect([status, body.status]).toEqual([201, 'opened'])
    return body
  }

  async function moneyOf(call: Call) {
    const { movements } = (await call('GET', '/_sim/ledger')).body
    return movements.map(({ kind, amount }: Record<string, unknown>) => [kind, amount])
  }

  it('can be listed, read and filtered, and has an event', async () => {
    const { call } = await startFrozen()
    const dispute = await disputed(call)
    expect((await call('GET', `/v1/disputes/${dispute.id}`)).body).toEqual(dispute)
    expect((await call('GET', '/v1/disputes/dsp_nobody')).status).toBe(404)
    for (const [query, found] of [
      [`checkoutId=${dispute.checkoutId}`, [dispute]],
      ['checkoutId=chk_other', []],
      ['status=opened', [dispute]],
      ['status=won', []],
    ] as const)
      expect((await call('GET', `/v1/disputes?${query}`)).body.data).toEqual(found)
    const [event] = (await call('GET', '/v1/events?type=dispute.opened')).body.data
    expect(event.data).toEqual(dispute)
  })

  it('is not said to be learned by the tour, which finds none in its list', async () => {
    const { PROFILE_KEYS } = await import(join(copy, 'src/spec/contract/profile.ts'))
    const names = (PROFILE_KEYS as ProfileKey[]).filter(({ learned }) => learned === 'tour')
    expect(names.map(({ key }) => key).filter((key) => key.includes('dispute'))).toEqual([
      'paths.disputes.list',
    ])
  })

  it.each(['pending', 'approved', 'canceled'])(
    'cannot be opened for a checkout that is %s',
    async (status) => {
      const { call, url } = await start({ fixture: { checkouts: [{ ...SALE, status }] } })
      const [{ id }] = (await call('GET', '/v1/checkouts')).body.data
      const refused = await call('POST', `/_sim/checkouts/${id}/disputes`)
      expect([refused.status, refused.body.message]).toEqual([409, `Checkout is ${status}, not confirmed`])
      expect(await (await fetch(`${url}/_sim/ui/resources/${id}`)).text()).not.toContain('Open a dispute')
      expect((await call('POST', '/_sim/checkouts/chk_nobody/disputes', { amount: 1 })).status).toBe(404)
    },
  )

  it('can be set in a fixture, in any state', async () => {
    const disputes = [{}, { amount: 12.5, status: 'lost' }, { status: 'withdrawn' }]
    const checkouts = [{ ...SALE, status: 'confirmed', refunds: [{ amount: 12.5 }], disputes }]
    const { call } = await start({ fixture: { checkouts } })
    expect((await call('GET', '/v1/disputes')).body.data).toMatchObject([
      { status: 'withdrawn' },
      { status: 'lost', amount: 12.5 },
      { status: 'opened', amount: 40 },
    ])
    // The platform gave nothing back twice: no request did.
    expect((await call('GET', '/_sim/audit')).body.orders).toEqual([])
    expect(() => create({ fixture: { checkouts: [{ ...SALE, disputes: [{ sum: 5 }] }] } })).toThrow('sum')
  })

  it('has the behavior that delayed it in its timeline', async () => {
    const { call, url } = await startFrozen()
    await call('POST', '/_sim/behaviors', {
      id: 'slow-bank',
      when: { resource: 'dispute', enters: 'opened' },
      do: { transition: 'won', after: 'never' },
    })
    const { id } = await disputed(call)
    const page = await (await fetch(`${url}/_sim/ui/resources/${id}`)).text()
    expect(page.replaceAll(/<[^>]*>/g, '')).toMatch(/dispute\.opened[\s\S]*slow-bank/)
  })

  it('is won after its delay, and changes its color', async () => {
    const { call, url } = await startFrozen()
    const { id } = await disputed(call)
    const page = async () => (await fetch(`${url}/_sim/ui/resources/${id}`)).text()
    expect(await page()).toContain('<span class="chip way">opened</span>')
    const { body } = await advance(call, '14d')
    expect(body.happened).toMatchObject([{ what: 'dispute.won', id }])
    expect((await call('GET', `/v1/disputes/${id}`)).body).toMatchObject({ status: 'won', lostAt: null })
    expect((await call('POST', `/v1/disputes/${id}/accept`, {}, 'key-3')).status).toBe(409)
    expect(await page()).toContain('<span class="chip good">won</span>')
  })

  it('can be withdrawn by a tester, as defined', async () => {
    const { call } = await startFrozen()
    const { id } = await disputed(call)
    const { body } = await call('POST', `/_sim/disputes/${id}/withdraw`)
    expect(body).toMatchObject({ id, status: 'withdrawn' })
    const { happened } = (await call('GET', '/_sim/explain/order-1')).body
    expect(happened.map(({ text }: { text: string }) => text)).toEqual([
      expect.stringContaining('POST /v1/checkouts → 201'),
      expect.stringContaining('confirm → 200'),
      `a tester → dispute.opened (${id})`,
      `a tester → dispute.withdrawn (${id})`,
    ])
    expect((await call('GET', '/v1/events?type=dispute.withdrawn')).body.data).toHaveLength(1)
    const { paths, tags } = (await call('GET', '/_sim/openapi.json')).body
    const [tag] = paths['/_sim/disputes/{id}/withdraw'].post.tags
    expect(tags.map(({ name }: { name: string }) => name)).toContain(tag)
  })

  it('can be opened by a tester in a scenario, as a recording writes it, and in the dashboard', async () => {
    const { call, url } = await startFrozen()
    const { id, checkoutId } = await disputed(call)
    await call('GET', `/v1/disputes/${id}`)
    const part = await call('POST', `/_sim/checkouts/${checkoutId}/disputes`, { amount: 12.5 })
    expect((await call('GET', `/v1/disputes/${part.body.id}`)).body).toEqual(part.body)
    const recording = join(copy, 'opened.yaml')
    // It plays what it wrote, and would fail.
    expect(await paysim('record', '--target', url, '--out', recording)).toMatchObject({ code: 0 })
    expect(readFileSync(recording, 'utf8')).toMatch(/sim: { open: "\${\w+}", amount: 12.5 }/)
    const page = await (await fetch(`${url}/_sim/ui/resources/${checkoutId}`)).text()
    expect(page).toMatch(/>\s*Open a dispute\s*</)
    expect(page).toMatch(/<input[^>]*name="amount"[^>]*type="number"/)
  })

  it('moves its money once per key, and does not count as a second payment', async () => {
    const { call, url } = await startFrozen()
    const { id, checkoutId } = await disputed(call)
    const first = await call('POST', `/v1/disputes/${id}/accept`, {}, 'key-3')
    expect([first.status, first.body.status]).toEqual([200, 'lost'])
    expect((await call('POST', `/v1/disputes/${id}/accept`, {}, 'key-3')).text).toBe(first.text)
    const { body: ledger } = await call('GET', '/_sim/ledger')
    expect(await moneyOf(call)).toEqual([
      ['charge', 40],
      ['dispute', 40],
    ])
    expect(ledger.movements[1]).toMatchObject({ checkoutId, disputeId: id })
    expect(await (await fetch(`${url}/_sim/ui/ledger`)).text()).toContain(`/resources/${id}`)
    const order = await (await fetch(`${url}/_sim/ui/?order=${checkoutId}`)).text()
    expect(order).toContain('$40.00 of it disputed')
    expect(order).not.toContain('of it refunded')
    expect(ledger.sums).toMatchObject({ charged: 40, disputed: 40, disputes: 1 })
    const [story] = (await call('GET', '/_sim/audit')).body.orders ?? []
    expect(story?.worst ?? null).toBeNull()
  })

  it('gives back no more than is left of the payment, like a refund', async () => {
    const { call } = await startFrozen()
    const { id, checkoutId } = await disputed(call)
    const open = async (amount: number): Promise<string> =>
      (await call('POST', `/_sim/checkouts/${checkoutId}/disputes`, { amount })).body.id
    const part = await open(12.5)
    const refused = async (path: string, body = {}) => {
      const { status, body: refusal } = await call('POST', path, body)
      return [status, refusal.message]
    }
    const refund = `/v1/checkouts/${checkoutId}/refunds`
    expect((await call('POST', `/v1/disputes/${part}/accept`)).status).toBe(200)
    const partly = [409, 'Checkout is already partly refunded']
    expect(await refused(`/v1/disputes/${id}/accept`)).toEqual(partly)
    expect(await refused(refund, { amount: 27.51 })).toEqual([400, 'Amount exceeds the refundable amount'])
    expect((await call('POST', refund, { amount: 27.5 })).status).toBe(201)
    expect((await call('GET', `/v1/disputes/${id}`)).body.status).toBe('opened')
    const fully = [409, 'Checkout is already fully refunded']
    expect(await refused(`/v1/disputes/${id}/accept`)).toEqual(fully)
    expect(await refused(refund, { amount: 1 })).toEqual(fully)
    expect(await moneyOf(call)).toEqual([
      ['charge', 40],
      ['dispute', 12.5],
      ['refund', 27.5],
    ])
  })

  it('is reported if it gives back the same amount as a refund', async () => {
    const { call } = await startFrozen()
    const { checkoutId } = await disputed(call)
    const { body: refund } = await call(
      'POST',
      `/v1/checkouts/${checkoutId}/refunds`,
      { amount: 12 },
      'key-3',
    )
    const ordersAfter = async (amount: number) => {
      const { body } = await call('POST', `/_sim/checkouts/${checkoutId}/disputes`, { amount })
      await call('POST', `/v1/disputes/${body.id}/accept`, {}, `accept-${amount}`)
      return { id: body.id, orders: (await call('GET', '/_sim/audit')).body.orders }
    }
    expect((await ordersAfter(5)).orders).toEqual([])
    const { id, orders } = await ordersAfter(12)
    const what = `${refund.id} by req_3 and ${id} by req_5 were both paid back`
    expect(orders).toMatchObject([
      {
        severity: 'warning',
        text: `order-1 was paid back twice, $12.00 too much: ${what}.`,
        requests: ['req_3', 'req_5'],
      },
    ])
  })

  it.each([12.5, 40])('gives back what is left when a timed move is due, after %d', async (amount) => {
    const { call } = await startFrozen()
    const { checkoutId } = await disputed(call)
    const { body: part } = await call('POST', `/_sim/checkouts/${checkoutId}/disputes`, { amount })
    await call('POST', `/v1/disputes/${part.id}/accept`, {}, 'key-3')
    await advance(call, '90d')
    expect(await typesOf(call, 'checkout.recalled')).toEqual([checkoutId])
    const rest = amount === 40 ? [] : [['dispute', 27.5]]
    expect(await moneyOf(call)).toEqual([['charge', 40], ['dispute', amount], ...rest])
  })

  it('needs a key to move money', async () => {
    const { call } = await start()
    const { id } = await disputed(call)
    await call('POST', `/v1/disputes/${id}/accept`, {})
    const { findings } = (await call('GET', '/_sim/audit')).body
    expect(findings.map(({ rule }: { rule: string }) => rule)).toContain('C1')
  })

  it('cannot be accepted on a shared service', async () => {
    const { url } = await start()
    const scenario = join(copy, 'accept.yaml')
    writeFileSync(scenario, 'name: accepts\nsteps:\n  - call: POST /v1/disputes/dsp_1/accept\n')
    const played = await paysim('run', scenario, '--target', url, '--api-key', 'sk_staging_default')
    expect(played.stdout).toContain('ends or replaces something')
  })

  it('appears in the OpenAPI document, the profile, the search and the dashboard', async () => {
    const { call, url } = await start()
    const dispute = await disputed(call)
    const { paths, tags } = (await call('GET', '/openapi.json')).body
    expect(
      Object.keys(paths)
        .filter((path) => path.includes('disputes'))
        .sort(),
    ).toEqual(['/v1/disputes', '/v1/disputes/{id}', '/v1/disputes/{id}/accept'])
    expect(tags.map(({ name }: { name: string }) => name)).toContain('disputes')
    const printed = (await paysim('profile')).stdout
    expect(printed).toMatch(/^ +dispute: dsp_/m)
    const page = async (path: string) => (await fetch(`${url}/_sim/ui${path}`)).text()
    expect(await page('/resources/disputes')).toContain(dispute.id)
    expect(await page(`/resources/${dispute.id}`)).toContain('Dispute')
    expect(await page('/find?q=order-1')).toContain('Disputes')
    expect(await page('/find?q=40.00')).toContain('Disputes')
  })
})
