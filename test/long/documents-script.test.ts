/** The JavaScript and TypeScript of each page: compiled in a project that has installed the package, and run if it terminates. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Block, blocksOf, named, PAGES } from '../documents/blocks.ts'
import { DEFAULT_ADDRESS, serve, write } from '../documents/stage.ts'
import { linkPackages } from '../package/linked.ts'
import { type Installed, install } from '../package/packed.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const IN_A_CONTEXT = join(import.meta.dirname, '../documents/in-a-context.mjs')
const blocks = PAGES.flatMap(blocksOf)
const of = (language: string) => blocks.filter((block) => block.language === language)

let installed: Installed
/** A CommonJS file that requires each entry except the one for Vitest, which loads only in Vitest. */
const REQUIRED = Object.keys(manifest.exports)
  .filter((entry) => !/json$|vitest$/.test(entry))
  .map(
    (entry, n) => `import * as entry${n} from 'paysim${entry.slice(1)}'\nif (!entry${n}) throw new Error()\n`,
  )
  .join('')

/** Compiles the TypeScript of all pages into `built`, and keeps the messages of the compiler. */
let saidOfTypeScript: string
beforeAll(() => {
  installed = install()
  writeFileSync(join(installed.project, 'package.json'), '{ "type": "module" }')
  linkPackages(installed.project, 'vitest', 'mocha', 'express', 'fastify', 'hono', '@hono/node-server')
  linkPackages(installed.project, '@types/node', 'undici-types')
  for (const page of PAGES) {
    const to = write(page, join(installed.project, basename(page, '.md')))
    for (const file of ['client.js', 'client.d.ts']) cpSync(join(root, 'examples/shop', file), join(to, file))
    for (const block of blocksOf(page)) if (isCode(block)) writeFileSync(join(to, fileOf(block)), block.code)
  }
  writeFileSync(join(installed.project, 'required.cts'), REQUIRED)
  saidOfTypeScript = compile(
    [...of('ts').map(pathOf), 'required.cts'],
    '--strict',
    '--outDir',
    'built',
    '--rootDir',
    '.',
  )
})
afterAll(() => installed.remove())

const isCode = ({ language }: Block) => language === 'js' || language === 'ts'
const isVitest = ({ code }: Block) => /from 'vitest'/.test(code)
/** Mocha and similar runners have `it` as a global. */
const isMocha = ({ code }: Block) => /^it\(/m.test(code)
/** The start of a file that `init` writes; see test/long/init.test.ts. */
const isJest = ({ code }: Block) => /^beforeAll\(/m.test(code)
const fileOf = (block: Block) =>
  block.file ?? `block-${block.line}${isVitest(block) ? '.test' : ''}.${block.language}`
const pathOf = (block: Block) => join(basename(block.page, '.md'), fileOf(block))

function compile(files: readonly string[], ...options: string[]): string {
  const usual = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--skipLibCheck']
  const args = [join(root, 'node_modules/.bin/tsc'), ...usual, ...options, ...files]
  return spawnSync(args[0]!, args.slice(1), { cwd: installed.project, encoding: 'utf8' }).stdout
}

test('the examples compile, with strict TypeScript', () => {
  expect(saidOfTypeScript).toBe('')
  const js = of('js').filter((block) => !isMocha(block) && !isJest(block))
  expect(compile(js.map(pathOf), '--allowJs', '--checkJs', '--strict', 'false', '--noEmit')).toBe('')
})

test('the examples compile for a bundler, and as CommonJS', () => {
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--strict', '--noEmit']
  expect(compile(of('ts').map(pathOf), ...bundler)).toBe('')
  const { status, stderr } = spawnSync(process.execPath, ['built/required.cjs'], { cwd: installed.project })
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
})

/**
 * Mocha's default timeout of two seconds is too short on a busy machine. The second row runs a file as jest does, because jest
 * itself would install 280 packages.
 */
test.each([
  ['mocha', ['node_modules/mocha/bin/mocha.js', '--reporter', 'tap', '--timeout', '60000']],
  [
    'a runner that gives each file a context',
    ['--experimental-vm-modules', '--experimental-import-meta-resolve', IN_A_CONTEXT],
  ],
])('the example for mocha and jest passes in %s', async (_, command) => {
  const [block, ...others] = blocks.filter(isMocha)
  expect(others).toEqual([])
  const { stdout } = await run(process.execPath, [...command, pathOf(block!)], { cwd: installed.project })
  expect(stdout).toMatch(/^ok 1 a customer is created once$/m)
})

test('the example for vitest passes in vitest', async () => {
  const found = blocks.filter((block) => isCode(block) && isVitest(block))
  const tests = found.flatMap(({ code }) => [...code.matchAll(/^test\(/gm)]).length
  expect(tests).toBeGreaterThan(2)
  const { stdout } = await run(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...found.map(pathOf)],
    {
      cwd: installed.project,
      env: { ...process.env, NO_COLOR: '1' },
    },
  )
  expect(stdout).toContain(`${tests} passed`)
})

/** Excludes receivers, which never end (see test/long/receivers.test.ts), and containers, which need an engine. */
const ends = ({ code }: Block) =>
  !/listen\(|\bserve\(|testcontainers|from '\.\/handle/.test(code) || /node:test|createSimulator/.test(code)

test.for(
  named(
    blocks.filter(
      (block) => isCode(block) && !isVitest(block) && !isMocha(block) && !isJest(block) && ends(block),
    ),
  ),
)('%s runs', async ([, block]) => {
  const url = await serve()
  const file = block.language === 'ts' ? join('built', pathOf(block).replace(/ts$/, 'js')) : pathOf(block)
  const path = join(installed.project, file)
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(DEFAULT_ADDRESS, url))
  const { stdout } = await run(process.execPath, [path], { cwd: dirname(path) })
  if (/node:test/.test(block.code)) expect(stdout).toMatch(/fail 0\b/)
})
