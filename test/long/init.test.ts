/** The files that `paysim init` writes pass unchanged, and existing files are left alone. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { blocksOf } from '../documents/blocks.ts'
import { hasMistake } from '../documents/syntax.ts'
import { folder } from '../given.ts'
import { homeOf, linkPackages } from '../package/linked.ts'
import { runPaysim, spawnPaysim } from '../process/paysim.ts'
import { workflowMistakes } from '../workflow-mistakes.ts'

const run = promisify(execFile)
const WORKFLOW = '.github/workflows/paysim.yaml'

function write(at: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), text)
  }
}

function projectOf(files: Record<string, string>): string {
  const at = folder()
  write(at, files)
  return at
}

const init = (at: string, ...args: string[]) => runPaysim(['init', ...args], {}, at)

const read = (at: string, path: string) => readFileSync(join(at, path), 'utf8')

/** The suggested commands in the output. */
const nextOf = (stdout: string) => [...stdout.matchAll(/^ {2}(\S.*?) {2,}\S/gm)].map(([, typed]) => typed!)

async function requireWorkflow(at: string, ...lines: string[]) {
  const text = read(at, WORKFLOW)
  expect(await workflowMistakes(text)).toEqual([])
  for (const line of lines) expect(text).toContain(`      - run: ${line}\n`)
  return text
}

/** Installs the runners as npm does. Vitest's globals replace Jest, which would be 280 packages. */
function install(at: string): void {
  const command = (name: string, file: string, more = '') =>
    writeFileSync(
      join(at, 'node_modules/.bin', name),
      `#!/bin/sh\nexec "${process.execPath}" "${resolve(file)}" ${more} "$@"\n`,
      { mode: 0o755 },
    )
  mkdirSync(join(at, 'node_modules/.bin'), { recursive: true })
  linkPackages(at, 'paysim', 'vitest', 'mocha')
  command('paysim', 'dist/main.js')
  command('vitest', 'node_modules/vitest/vitest.mjs')
  command('mocha', join(homeOf('mocha'), 'bin/mocha.js'))
  command('jest', 'node_modules/vitest/vitest.mjs', 'run --globals')
}

const manifest = (packages: readonly string[], more: object = {}) =>
  JSON.stringify({
    ...more,
    devDependencies: Object.fromEntries(['paysim', ...packages].map((name) => [name, '*'])),
  })

describe('in a JavaScript project', () => {
  test.each([
    ['vitest', manifest(['vitest']), 'test/paysim.test.js', 'npx vitest run'],
    ['vitest and TypeScript', manifest(['vitest', 'typescript']), 'test/paysim.test.ts', 'npx vitest run'],
    ['jest', manifest(['jest', 'typescript']), 'test/paysim.test.js', 'npx jest'],
    [
      'jest that compiles',
      manifest(['ts-jest', 'jest', '@types/jest', 'typescript'], { jest: { preset: 'ts-jest' } }),
      'test/paysim.test.ts',
      'npx jest',
    ],
    ['jest without settings', manifest(['ts-jest', 'jest', 'typescript']), 'test/paysim.test.js', 'npx jest'],
    ['mocha', manifest(['mocha']), 'test/paysim.test.mjs', 'npx mocha --timeout 60000'],
    ['no runner', manifest([], { type: 'module' }), 'test/paysim.test.mjs', 'node --test'],
    ['no modules', manifest([]), 'test/paysim.test.mjs', 'node --test'],
  ])('with %s, the suggested commands fit the project', async (_, text, path, command) => {
    const at = projectOf({ 'package.json': text })
    const { code, stdout, stderr } = await init(at)
    expect([code, stderr]).toEqual([0, ''])
    expect(nextOf(stdout)).toEqual([
      'npx paysim run',
      `${command} ${path}`,
      `npx paysim gauntlet --quick -- ${command} ${path}`,
    ])
    expect(read(at, path)).toMatch(path.endsWith('.ts') ? /path: string/ : /pay\(path, body\)/)
    // A trouble may take longer than Jest's limit of 5 s.
    expect(read(at, path).match(/\}, 60_000\)/g)).toEqual(command === 'npx jest' ? ['}, 60_000)'] : null)
    await requireWorkflow(
      at,
      'npm install',
      'npx --no-install paysim run',
      `npx --no-install paysim gauntlet --quick -- ${command} ${path}`,
    )
  })

  // Covers TypeScript, CommonJS, and each kind of hooks once.
  const RUNNERS: readonly (readonly [name: string, manifest: string, path: string])[] = [
    ['vitest', manifest(['vitest', 'typescript']), 'test/paysim.test.ts'],
    ['node', manifest([]), 'test/paysim.test.mjs'],
    ['jest', manifest(['jest']), 'test/paysim.test.js'],
    ['mocha', manifest(['mocha']), 'test/paysim.test.mjs'],
  ]
  test.each(RUNNERS)('the files for %s pass', async (_, text, path) => {
    const at = projectOf({ 'package.json': text })
    install(at)
    const [scenario, typed] = nextOf((await init(at)).stdout)
    const PATH = `${join(at, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
    // Without npx, which takes a second to start.
    const commands = [typed!, ...(path.endsWith('.ts') ? [scenario!] : [])]
      .join(' && ')
      .replaceAll('npx ', '')
    const { stdout } = await run('sh', ['-c', commands], {
      cwd: at,
      env: { ...process.env, PATH, NO_COLOR: '1' },
    })
    expect(stdout).toMatch(/\b(1 passed|1 passing|pass 1)\b/)
    if (path.endsWith('.ts')) expect(stdout).toContain('5/5  passed')
  })

  test('jest with ES modules or a page in the tests: the output lists the requirements', async () => {
    const at = projectOf({
      'package.json': manifest(['jest', 'jest-environment-jsdom'], { type: 'module' }),
      'tests/other.test.js': '',
    })
    expect(nextOf((await init(at)).stdout)[1]).toBe(
      'node --experimental-vm-modules node_modules/jest/bin/jest.js tests/paysim.test.js',
    )
    expect(read(at, 'tests/paysim.test.js')).toMatch(/^\/\*\* @jest-environment node \*\/\nimport /)
  })

  test('in a monorepo, the workflow is at the root, and its job changes to the package', async () => {
    const at = projectOf({
      '.git/HEAD': '',
      'pnpm-lock.yaml': '',
      'package.json': JSON.stringify({ devDependencies: { paysim: '^0.1.0' } }),
      'node_modules/paysim/package.json': '',
      'packages/shop/package.json': JSON.stringify({ devDependencies: { vitest: '*' } }),
    })
    const { stdout } = await init(join(at, 'packages/shop'))
    expect(stdout).toContain('wrote  ../../.github/workflows/paysim.yaml\n')
    const text = await requireWorkflow(
      at,
      'corepack enable && pnpm install --frozen-lockfile',
      'pnpm exec paysim run',
    )
    expect(text).toContain('        working-directory: "packages/shop"\n')
    expect(stdout).not.toContain('does not list paysim')
    for (const [path, schema] of [
      ['paysim.yaml', '../../node_modules/paysim/paysim.schema.json'],
      ['scenarios/lost-answer.yaml', '../../../node_modules/paysim/scenarios/scenario.schema.json'],
    ] as const)
      expect(read(at, `packages/shop/${path}`)).toContain(`# yaml-language-server: $schema=${schema}\n`)
  })

  test('reports that paysim is missing in package.json, or that it is outside the repository', async () => {
    const without = await init(projectOf({ 'package.json': '{}' }))
    expect(without.stdout).toContain('package.json does not list paysim')
    const dependencies = { paysim: 'file:../paysim/paysim-0.1.0.tgz' }
    const beside = await init(projectOf({ 'package.json': JSON.stringify({ dependencies }) }))
    expect(beside.stdout).toContain('CI cannot install paysim from file:../paysim/paysim-0.1.0.tgz')
    expect(beside.stdout).toContain('npm install --save-dev ./vendor/paysim-')
    const inRepository = projectOf({
      '.git/HEAD': '',
      'packages/shop/package.json': JSON.stringify({
        devDependencies: { paysim: 'file:../../vendor/paysim-0.1.0.tgz' },
      }),
    })
    const { stdout } = await init(join(inRepository, 'packages/shop'))
    expect(stdout).toContain('Commit ../../vendor/paysim-0.1.0.tgz, from which CI installs paysim')
    expect(stdout).not.toContain('CI cannot install')
    const broken = await init(projectOf({ 'package.json': '{' }))
    expect(broken).toMatchObject({ code: 2, stderr: 'package.json is not a JSON object.\n' })
  })
})

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

describe('in another language', () => {
  test.each([
    ['pyproject.toml', 'python', 'tests/test_paysim.py', 'python3 -m pytest tests/test_paysim.py'],
    ['go.mod', 'go', 'paysim/paysim_test.go', 'go test ./paysim'],
    ['pom.xml', 'java', 'src/test/java/PaysimTest.java', 'mvn test -Dtest=PaysimTest'],
  ])('%s means %s', async (mark, language, path, command) => {
    const at = projectOf({ [mark]: '<artifactId>junit-jupiter</artifactId>' })
    const { code, stdout } = await init(at)
    expect([code, nextOf(stdout)]).toEqual([
      0,
      ['paysim run', `paysim exec -- ${command}`, `paysim gauntlet --quick -- ${command}`],
    ])
    expect(stdout.trimEnd().split('\n')).toHaveLength(9)
    expect(await hasMistake(language, read(at, path))).toBe(false)
    await requireWorkflow(at, command)
  })

  test('run by npx from a file, it uses the file in the suggested commands, but in no file of the project', async () => {
    const at = projectOf({
      'shop/go.mod': '',
      '_npx/1/package.json': '{"dependencies":{"paysim":"file:../../p.tgz"}}',
    })
    const command = join(at, '_npx/1/node_modules/.bin/paysim')
    mkdirSync(dirname(command), { recursive: true })
    symlinkSync(resolve('dist/main.js'), command)
    const cwd = join(at, 'shop')
    const { stdout } = await spawnPaysim(['init'], {}, { command, cwd }).exited
    expect(nextOf(stdout)[0]).toBe(`npx -p ${join(at, 'p.tgz')} paysim run`)
    expect(read(cwd, 'paysim/paysim_test.go')).not.toContain(at)
  })

  test('reports that JUnit is missing in pom.xml', async () => {
    const { stdout } = await init(projectOf({ 'pom.xml': '<project/>' }))
    expect(stdout).toContain('pom.xml lacks junit-jupiter, which the test needs.')
  })

  test.runIf(hasPytest)('the pytest test passes, and leaves no sandbox behind', async () => {
    // A package.json with nothing but paysim, as npm writes it on installation.
    const at = projectOf({ 'pyproject.toml': '', 'package.json': manifest([]) })
    const [, typed] = nextOf((await init(at)).stdout)
    const { code, stdout } = await spawnPaysim(typed!.split(' ').slice(1), {}, { cwd: at }).exited
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('1 passed')
    expect(stdout).toContain('0 errors and 0 warnings in 4 requests')

    const unfired = `from test_paysim import sandbox

def test_that_never_refunds(sandbox):
    sandbox["sim"]("POST", "/behaviors", {"id": "lost", "when": {"op": "refunds.create"}, "do": {"fault": "reset"}})
`
    write(at, { 'tests/test_unfired.py': unfired })
    const failing = await spawnPaysim(
      ['exec', '--', 'python3', '-m', 'pytest', 'tests/test_unfired.py'],
      {},
      { cwd: at },
    ).exited
    expect(failing.stdout).toMatch(/^The behavior lost never acted/m)
    expect(failing.stdout).not.toContain('HTTPError')

    const env = { ...process.env, PAYSIM_URL: 'http://127.0.0.1:1' }
    const alone = await run('python3', ['-m', 'pytest', '-p', 'no:cacheprovider'], { cwd: at, env }).catch(
      ({ stdout }) => stdout,
    )
    expect(alone).toMatch(
      /\nNo paysim is running at http:\/\/127\.0\.0\.1:1\. Start one with `paysim start`, or run the tests with `paysim exec`\.\n/,
    )
    expect(alone).not.toContain('Errno')
  })
})

test('existing files stay unchanged, byte for byte, and are listed', async () => {
  const files = {
    'package.json': manifest(['vitest']),
    'paysim.yaml': 'port: 0\n',
    'test/paysim.test.js': '//',
  }
  const at = projectOf(files)
  const first = await init(at)
  expect(first.stdout.split('\n\n', 1)[0]).toBe(
    `kept   paysim.yaml, which exists
wrote  scenarios/lost-answer.yaml
kept   test/paysim.test.js, which exists
wrote  ${WORKFLOW}`,
  )
  for (const [path, text] of Object.entries(files)) expect(read(at, path)).toBe(text)
  const second = await init(at)
  expect(second.stdout).not.toContain('wrote')
})

test('the first language found is used, and the others are listed', async () => {
  const at = projectOf({ 'package.json': '{}', 'requirements.txt': '' })
  const both = await init(at)
  expect(both.stdout).toContain('Found requirements.txt too. For its test, run paysim init --language python')
  const python = await init(at, '--language', 'python')
  expect(python.stdout).toContain('wrote  tests/test_paysim.py')
  const step = '- run: python3 -m pytest tests/test_paysim.py'
  expect(python.stdout).toContain(`${WORKFLOW} does not run this test: add the step \`${step}\` to it.`)
  expect(await init(folder())).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'Cannot detect the language: found none of package.json, pyproject.toml, requirements.txt, go.mod, pom.xml. Pass --language javascript, python, go or java.\n',
  })
})

test('the Jest test matches the documents', () => {
  const block = blocksOf('docs/embedding.md').find(({ code }) => code.includes('beforeAll('))
  const [name] = readdirSync('templates/jest')
  expect(readFileSync(`templates/jest/${name}`, 'utf8')).toContain(block!.code)
})

test('the scenario matches the tutorial', () => {
  const [block] = blocksOf('docs/tutorial.md').filter(({ file }) => file === 'lost-answer.yaml')
  expect(readFileSync('templates/project/scenarios/lost-answer.yaml', 'utf8')).toBe(
    block!.code.replace('# lost-answer.yaml\n', ''),
  )
})
