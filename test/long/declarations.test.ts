import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { folder as temporaryFolder } from '../given.ts'
import { startLanguageServer } from '../package/language-server.ts'
import { linkPackages } from '../package/linked.ts'

const root = join(import.meta.dirname, '../..')
const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))

/** Creates a project with only our declarations, those of Node, and the named packages. */
function project(code: string, ...packages: string[]) {
  const folder = temporaryFolder({ 'user.mts': code })
  for (const path of ['dist', 'package.json']) {
    cpSync(join(root, path), join(folder, 'node_modules/paysim', path), { recursive: true })
  }
  linkPackages(folder, '@types/node', 'undici-types', ...packages)
  return { folder, file: join(folder, 'user.mts') }
}

const compiler = join(root, 'node_modules/.bin/tsc')

/** TypeScript 5, a dependency of the client generator. */
const olderCompiler = join(root, 'test/users/node_modules/typescript/bin/tsc')
const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']

/** Compiles strictly and returns the messages. */
function compile(code: string, ...more: string[]): string {
  // Two of the entries import these packages, which their users have installed.
  const { folder } = project(code, 'vitest', 'testcontainers')
  return spawnSync(compiler, [...options, ...more, 'user.mts'], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout
}

test('the declarations compile without skipLibCheck, and without zod and hono', () => {
  expect(
    compile(entries.map((entry, n) => `export * as entry${n} from 'paysim${entry.slice(1)}'\n`).join('')),
  ).toBe('')
})

// Only CommonJS, because both declarations have the same content.
test('the declarations compile with TypeScript 5', () => {
  const { folder } = project('')
  writeFileSync(
    join(folder, 'user.cts'),
    `import { createSimulator } from 'paysim'
    import { connect } from 'paysim/control'
    const shop = createSimulator().sandbox('shop')
    const events = connect('http://a.test').find('shop').then((remote) => remote.events())
    export const types: Promise<string[]> = events.then((all) => all.map(({ type }) => type))
    export const wrong: number = shop.requests()[0]!.method
  `,
  )
  const { stdout } = spawnSync(olderCompiler, [...options, '--skipDefaultLibCheck', 'user.cts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stdout).toBe("user.cts(6,18): error TS2322: Type 'string' is not assignable to type 'number'.\n")
})

test('a type that is derived from a schema is as exact as the schema', () => {
  const said = compile(
    `
    import { createSimulator, type Fixture, type Scenario } from 'paysim'
    import { connect } from 'paysim/control'
    const fixture: Fixture = { checkouts: [{ orderId: 'o', externalId: 'e', amount: 1, status: 'confirmed' }] }
    const shop = createSimulator({ fixture }).sandbox('default')
    const status: 'pending' | 'approved' | 'confirmed' | 'canceled' = shop.buyer.approve('chk_1').status
    const remote = await connect('http://a.test').sandbox('default')
    const refunded: Promise<number> = remote.ledger().then(({ sums }) => sums.refunded)
    const scenario: Scenario = { name: 'n', behaviors: [] }
    export { refunded, scenario, status }
    export const wrongStatus: 'paid' = shop.buyer.approve('chk_1').status
    export const wrongFixture: Fixture = { checkouts: [{ orderId: 7 }] }
    export const wrongScenario: Scenario = { why: 'it has no name' }
  `,
    '--skipLibCheck',
  )
  expect([...said.matchAll(/^user\.mts\((\d+),/gm)].map(([, line]) => Number(line))).toEqual([11, 12, 13])
})

test('each entry has its file and imports the shared declarations, and the comments are preserved', () => {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
  const declarations = files.filter((file) => /\.d\.c?ts$/.test(file))
  const types = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.import.types,
  )
  const entries = declarations.filter((file) => !file.startsWith('cjs/'))
  expect(entries.map((file) => `./dist/${file}`).sort()).toEqual(types.sort())
  const text = declarations.map((file) => readFileSync(join(root, 'dist', file), 'utf8')).join('')
  expect(text.split('/** Answers a request without a socket. */').length).toBe(2)
  // Editors show a comment above a property, but not one at the end of the previous line.
  expect(text).not.toMatch(/; *\/\*\*/)
})

/** Places that take options; the test asks the editor for completions at `|`. */
const OPTION_PLACES = [
  'createSimulator({ | })',
  'createSimulator({ webhook: { | } })',
  'createSimulator({ audit: { | } })',
  'createSimulator({ journal: { | } })',
  'createSimulator({ productionSandbox: { | } })',
  'createSimulator({ productionSandbox: { webhook: { | } } })',
  'createSimulator({ clock: { | } })',
  'createSimulator({ testValues: { | } })',
  'createSimulator({ testValues: { credit: { | } } })',
  'createSimulator({ testValues: { credit: { high: { | } } } })',
  'createSimulator({ testValues: { card: { | } } })',
  'createSimulator({ testValues: { bankAccount: { | } } })',
  'createSimulator({ testValues: { suggested: { | } } })',
  'createSimulator({ testValues: { suggested: { applicant: { | } } } })',
  'createSimulator({ fixture: { | } })',
  'createSimulator({ fixture: { customers: [{ | }] } })',
  'createSimulator({ fixture: { checkouts: [{ | }] } })',
  'createSimulator({ fixture: { authorizations: [{ | }] } })',
  'createSimulator({ fixture: { checkouts: [{ refunds: [{ | }] }] } })',
  'simulator.listen({ | })',
  "simulator.sandbox('shop', { | })",
  'simulator.create({ | })',
  'useSandbox({ | })',
  "connect('http://a.test', { | })",
  "connect('http://a.test').sandbox('shop', { | })",
  ...['', 'clock.', 'snapshots.', 'webhook.', 'buyer.', 'paymentMethods.', 'refunds.'].flatMap((group) => [
    `shop.${group}|;`,
    `remote.${group}|;`,
  ]),
  'shop.arm({ | })',
  'shop.arm({ behaviors: [{ | }] })',
  'shop.arm({ when: { | } })',
  'shop.arm({ when: { key: { | } } })',
  'shop.arm({ do: { | } })',
  'shop.arm({ do: { respond: { | } } })',
  'shop.arm({ do: { delay: { | } } })',
  'shop.arm({ do: { rateLimit: { | } } })',
  "shop.arm({ do: { transition: 'completed', after: { | } } })",
  'shop.arm({ do: { webhook: { | } } })',
  'shop.verify({ | })',
  'shop.verify({ count: { | } })',
  'shop.verify({}, { | })',
  'shop.requests({ | })',
  'shop.events({ | })',
  'shop.deliveries({ | })',
  'shop.due({ | })',
  'shop.emit({ | })',
  'shop.settle({ | })',
  "shop.untilHeld('gate', { | })",
  'shop.audit({ | })',
  'shop.reset({ | })',
  'shop.webhook.put({ | })',
  "shop.buyer.approve('chk_1', { | })",
  "shop.buyer.decline('chk_1', { | })",
  "shop.paymentMethods.attach('cus_1', { | })",
  "signWebhook('{}', { | })",
  "verifyWebhook('{}', {}, { | })",
]

test('an editor shows a comment for every option', async () => {
  const head = [
    "import { createSimulator, signWebhook, verifyWebhook } from 'paysim'",
    "import { connect } from 'paysim/control'",
    "import { useSandbox } from 'paysim/vitest'",
    'const simulator = createSimulator()',
    "const shop = simulator.sandbox('shop')",
    "const remote = await connect('http://a.test').find('shop')",
  ]
  const code = [...head, ...OPTION_PLACES.map((line) => line.replace('|', ''))].join('\n')
  const { folder, file } = project(code, 'vitest')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, module: 'nodenext', types: ['node'] } }),
  )
  const server = await startLanguageServer(compiler, folder)
  onTestFinished(server.stop)
  server.open(file, code)
  for (const [index, place] of OPTION_PLACES.entries()) {
    const offered = await server.offeredAt(file, head.length + index, place.indexOf('|'))
    expect(offered.length, place).toBeGreaterThan(0)
    const silent = offered.filter(({ comment }) => comment === '').map(({ name }) => name)
    expect.soft(silent, place).toEqual([])
  }
})

const RIGHT = [
  "createSimulator({ clock: 'frozen', refundDelay: '1h30m', webhook: { url: 'http://a.test', events: ['refund.*'] } })",
  "createSimulator({ clock: 'frozen@2026-01-01T00:00:00Z', refundDelay: 250, rateLimit: 'off' })",
  "createSimulator({ clock: { mode: 'frozen', at: 0 }, testValues: { verificationCode: '1' } })",
  "simulator.sandbox('a', { ttl: '1h', clock: 'real' })",
  'shop.arm({ do: { respond: 503 } })',
  "shop.arm([{ do: { delay: '2s' } }, { do: { delay: 2000 } }, { do: { delay: { p50: '1s', p99: 2000 } } }])",
  "shop.arm({ when: { op: 'refunds.*', call: 'POST /v1/**' }, ttl: '2d', do: { fault: 'reset', at: 'before' } })",
  "shop.arm({ name: 'n', behaviors: [{ do: { hold: 'gate', max: '5s' } }] })",
  "shop.arm({ when: { event: 'refund.completed' }, do: { webhook: { delay: '1m' } } })",
  "shop.replaceBehaviors(await readScenario('scenarios/x.yaml'))",
  "shop.verify({ op: 'refunds.create', status: '4xx', count: 0 }, { within: '2s' })",
  "shop.requests({ op: '*.create', status: 409 }); shop.requests({ status: 'none' })",
  "shop.events({ type: 'refund.completed' }); shop.deliveries({ status: 'failed' })",
  "shop.clock.advance('2d'); shop.clock.advance(5); shop.reset({ what: ['journal'] })",
  'remote.arm({ do: { respond: 503 } })',
  "new PaysimContainer().withName('p').withProduction().start().then((paysim) => paysim.getUrl('production'))",
]

const WRONG = [
  "createSimulator({ rateLimt: 'off' })",
  "createSimulator({ clock: 'frozne' })",
  "createSimulator({ refundDelay: 'soon' })",
  "createSimulator({ refundDelay: '5 minutes' })",
  "createSimulator({ webhook: { url: 'http://a.test', events: ['refund.complete'] } })",
  "createSimulator({ durability: 'never' })",
  "simulator.sandbox('a', { ttl: '1hour' })",
  'simulator.listen({ prot: 1 })',
  "shop.arm({ when: { op: 'refunds.crate' }, do: { fault: 'reset' } })",
  "shop.arm({ when: { call: 'refunds' }, do: { fault: 'reset' } })",
  "shop.arm({ when: { event: 'refund.complete' }, do: { webhook: { drop: true } } })",
  "shop.arm({ do: { fault: 'rest' } })",
  "shop.arm({ do: { delay: 'abc' } })",
  "shop.arm({ do: { respond: '503' } })",
  "shop.arm({ time: 2, do: { fault: 'reset' } })",
  "shop.arm({ ttl: 'long', do: { fault: 'reset' } })",
  "shop.verify({ op: 'refunds.crate', count: 0 })",
  'shop.verify({ cuont: 0 })',
  "shop.verify({}, { within: 'soon' })",
  "shop.requests({ op: 'refunds.crate' })",
  "shop.requests({ status: '4x' })",
  "shop.events({ type: 'refund.complete' })",
  "shop.deliveries({ status: 'done' })",
  "shop.reset({ what: ['jornal'] })",
  "shop.clock.advance('2 days')",
  "shop.read('checkouts.lst')",
  "shop.emit({ type: 'refund.complete', resourceId: 'ref_1' })",
  "shop.buyer.approve('chk_1', { method: 'crad' })",
  "remote.arm({ do: { fault: 'rest' } })",
  "remote.requests({ op: 'refunds.crate' })",
  "connect('http://a.test', { admintoken: 't' })",
  "new PaysimContainer().withRateLimit('of')",
  "new PaysimContainer().start().then((paysim) => paysim.getUrl('prod'))",
]

test('code that runs compiles, and a misspelled name does not', () => {
  const head = [
    "import { createSimulator, readScenario } from 'paysim'",
    "import { connect } from 'paysim/control'",
    "import { PaysimContainer } from 'paysim/testcontainers'",
    'const simulator = createSimulator()',
    "const shop = simulator.sandbox('shop')",
    "const remote = await connect('http://a.test').find('shop')",
  ]
  const said = compile([...head, ...RIGHT, ...WRONG].join('\n'), '--skipLibCheck')
  const refused = new Set([...said.matchAll(/^user\.mts\((\d+),/gm)].map(([, line]) => Number(line)))
  const lines = [...head, ...RIGHT, ...WRONG]
  expect(lines.filter((_, index) => refused.has(index + 1))).toEqual(WRONG)
})
