import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))

/** What a strict compiler says of a file, in a project that has our declarations, Node's, and no other package. */
function compile(code: string): string {
  const project = mkdtempSync(join(tmpdir(), 'paysim-declarations-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  for (const path of ['dist', 'package.json']) {
    cpSync(join(root, path), join(project, 'node_modules/paysim', path), { recursive: true })
  }
  for (const name of ['@types/node', 'undici-types']) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  writeFileSync(join(project, 'user.mts'), code)
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  return spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, 'user.mts'], {
    cwd: project,
    encoding: 'utf8',
  }).stdout
}

test('the declarations compile without skipLibCheck, and without zod and hono', () => {
  expect(
    compile(entries.map((entry, n) => `export * as entry${n} from 'paysim${entry.slice(1)}'\n`).join('')),
  ).toBe('')
})

test('a type that is made from a schema is as exact as the schema', () => {
  const said = compile(`
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
  `)
  expect([...said.matchAll(/^user\.mts\((\d+),/gm)].map(([, line]) => Number(line))).toEqual([11, 12, 13])
})

test('each entry has one file, and the comments are in it', () => {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
  const declarations = files.filter((file) => file.endsWith('.d.ts'))
  const types = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.types,
  )
  expect(declarations.map((file) => `./dist/${file}`).sort()).toEqual(types.sort())
  const index = readFileSync(join(root, 'dist/index.d.ts'), 'utf8')
  expect(index).toContain('/** Answers a request without a socket. */')
  expect(index).toContain('/** Moves the clock to a time that is not before now. */')
  // An editor shows a comment that stands above its property, not one at the end of the line before.
  expect(index).toMatch(/\n\s*\/\*\* Requests a minute for each IP, or off\. \*\/\n\s*rateLimit: /)
  expect(index).not.toMatch(/; *\/\*\*/)
})
