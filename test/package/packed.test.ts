/** The package as users get it: the content of the tarball, its types and entries, and a running server. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { spawnPaysim, startPaysim } from '../process/paysim.ts'
import { type Installed, install, type Packed, pack } from './packed.ts'

const root = join(import.meta.dirname, '../..')
let packed: Packed
let installed: Installed

beforeAll(() => {
  packed = pack()
  installed = install(packed.tarball)
})
afterAll(() => {
  packed.remove()
  installed.remove()
})

describe('the tarball', () => {
  test('contains everything needed to use it, and nothing else', () => {
    const { files } = packed
    const inFolders = files.filter((file) =>
      /^(dist|docs|examples|fixtures|scenarios|skills|templates)\//.test(file),
    )
    const others = files.filter((file) => !inFolders.includes(file))
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'llms.txt',
      'package.json',
      'paysim.schema.json',
    ])
    // The templates of init are source files in several languages.
    const known = /^templates\/|\.(c?js|d\.c?ts|json|yaml|md|sh|py|cfg|conf)$/
    expect(inFolders.filter((file) => !known.test(file))).toEqual([])
    for (const file of [
      'dist/main.js',
      'dist/index.d.ts',
      'fixtures/test-values.json',
      'templates/go/.github/workflows/paysim.yaml',
    ]) {
      expect(files).toContain(file)
    }
    for (const file of ['scenarios/answer-lost.yaml', 'scenarios/scenario.schema.json']) {
      expect(files).toContain(file)
    }
  })

  test('contains each file that its documents link to', () => {
    const { files } = packed
    const broken = files
      .filter((file) => /\.(md|txt)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to]) =>
          join(file, '..', to!),
        )
        return targets.filter((to) => !files.some((name) => name === to || name.startsWith(`${to}/`)))
      })
    expect(broken).toEqual([])
  })

  test('copies each dependency into the image', () => {
    const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
    for (const name of Object.keys(manifest.dependencies)) expect(image).toContain(`${name}/package.json`)
  })

  // npm warns about each script that would run; `prepare` is one of them for a tarball.
  test('has no script that npm runs on installation', () => {
    const scripts = Object.keys(manifest.scripts)
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([])
  })

  // npm 10, which comes with Node 20 and 22, resolves the dependencies of peers too. At Vitest 4.1 that broke (npm/cli#9787), and nothing
  // could be installed. With only the optional names npm resolves nothing, and pnpm and Yarn still link the packages of the project.
  test('declares no peer that npm would resolve, and lists each peer as optional', () => {
    expect(manifest).not.toHaveProperty('peerDependencies')
    expect(manifest.peerDependenciesMeta).toEqual({
      testcontainers: { optional: true },
      vitest: { optional: true },
    })
  })

  test('has an image with its version', () => {
    const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
    expect(image).toContain(`ARG VERSION=${manifest.version}\n`)
  })

  test('passes publint', async () => {
    const { buffer } = readFileSync(packed.tarball)
    const { messages, pkg } = await publint({ pack: { tarball: buffer as ArrayBuffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('passes arethetypeswrong', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(packed.tarball)), {
      // The entry for Vitest cannot be required.
      excludeEntrypoints: ['./vitest'],
    })
    if (!analysis.types) throw new Error('the package has no types')
    // Ignore Node 10, which does not support exports; check resolution as of Node 16 and by bundlers.
    expect(analysis.problems.filter((problem) => !JSON.stringify(problem).includes('"node10"'))).toEqual([])
  })
})

describe('installed', () => {
  test('it starts, is healthy, runs three scenarios and stops', async () => {
    const { command, project } = installed
    const place = { command, cwd: project }
    const { url, stop } = await startPaysim([], {}, place)
    const { port } = new URL(url)
    expect(await spawnPaysim(['health', '--port', port], {}, place).exited).toMatchObject({ code: 0 })
    const scenarios = ['first-refund', 'answer-lost', 'webhook-duplicated'].map(
      (name) => `node_modules/paysim/scenarios/${name}.yaml`,
    )
    const { code, stdout, stderr } = await spawnPaysim(['run', '--target', url, ...scenarios], {}, place)
      .exited
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('3 ')
    const bundled = await spawnPaysim(['run', '--bundled', '--filter', 'key-reused'], {}, place).exited
    expect(bundled).toMatchObject({ code: 0, stdout: expect.stringContaining('key-reused') })
    expect((await stop()).code).toBe(0)
  })

  test.each([
    ['import', ['--input-type=module'], (name: string) => `await import('${name}')`],
    // A runner that compiles to CommonJS cannot require an ES module.
    ['require', ['--no-experimental-require-module'], (name: string) => `require('${name}')`],
  ])('each entry can be loaded with %s', async (_, flags, load) => {
    // The entry for Vitest loads only in Vitest.
    const entries = Object.keys(manifest.exports).filter((entry) => !/json$|vitest$/.test(entry))
    const code = entries
      .map((entry) => `console.log(Object.keys(${load(`paysim${entry.slice(1)}`)}).join(' '))`)
      .join('\n')
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', code], {
      cwd: installed.project,
    })
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringContaining('createSimulator'),
      expect.stringContaining('connect'),
      expect.stringContaining('PaysimContainer'),
    ])
  })

  test('a required simulator serves, including code that it loads later', async () => {
    const code = `
      const { createSimulator, readScenario } = require('paysim')
      const sim = createSimulator({ rateLimit: 'off' })
      sim.listen().then(async ({ url }) => {
        for (const path of ['/healthz', '/_sim/ui', '/_sim/sandboxes', '/openapi.json'])
          console.log((await fetch(url + path)).status)
        console.log((await readScenario('node_modules/paysim/scenarios/answer-lost.yaml')).behaviors.length)
        await sim.close()
      })
    `
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-experimental-require-module', '-e', code],
      { cwd: installed.project },
    )
    expect(stdout.trim().split('\n')).toEqual(['200', '200', '200', '200', '1'])
  })
})

// A lock file from another Node version selects an edition that would crash the process.
const EDITIONS = Number(process.versions.napi) >= 10 ? ['13.2.0', '12.9.0'] : ['12.9.0', '13.2.0']

test.each([
  ['as --ignore-scripts leaves it', EDITIONS[0], 'throw new Error("not compiled")'],
  ['as the lock file of another Node leaves it', EDITIONS[1], 'process.exit(9)'],
  ['as npm leaves it out where nothing can be compiled', undefined, ''],
])('without SQLite, %s, a message names the missing part and the fix', async (_, version, code) => {
  const { project, command } = installed
  const path = join(project, 'node_modules/better-sqlite3')
  renameSync(path, `${path}-linked`)
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true })
    renameSync(`${path}-linked`, path)
  })
  if (version !== undefined) {
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ version }))
    writeFileSync(join(path, 'index.js'), code)
  }
  // A command without a simulator does not load the code of one.
  const signed = await promisify(execFile)(process.execPath, [command, 'sign', 'text'])
  expect(signed.stdout).toContain('webhook-signature')
  expect(await spawnPaysim(['start', '--port', '0'], {}, { command }).exited).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      version === EDITIONS[0]
        ? /^SQLite is not installed for Node v\S+: npm rebuild better-sqlite3 builds its binary\.\n$/
        : /^SQLite is not installed for Node v\S+; npm install --save-optional \S+ installs it(, with Python, make and a C\+\+ compiler where its binary cannot be fetched|; after an npm ci that left it out, npm ci --ignore-scripts does)\.\n$/,
    ),
  })
})

interface Locked {
  version?: string
  optionalDependencies?: Record<string, string>
}

/** Binaries that the lock file lacks, or has in another version than required. npm ci would refuse such a lock file. */
function notLocked(packages: Record<string, Locked>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, wanted]) => {
      const found = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
      return /^\d[\d.]*$/.test(wanted) && found?.version !== wanted ? [`${name} ${wanted}`] : []
    }),
  )
}

test('npm ci finds the binaries for every system in the lock file', () => {
  const packages: Record<string, Locked> = lock.packages as object as Record<string, Locked>
  expect(notLocked(packages)).toEqual([])
  const rolldown = {
    ...packages['node_modules/rolldown'],
    optionalDependencies: { '@rolldown/binding-win32-x64-msvc': '0.1.0' },
  }
  expect(notLocked({ ...packages, 'node_modules/rolldown': rolldown })).toEqual([
    '@rolldown/binding-win32-x64-msvc 0.1.0',
  ])
})

test('this checkout never compiles an edition of SQLite that its Node does not load', () => {
  // npm trusts the engines in the lock file. The package itself claims Node 20 to 25.
  const edition = lock.packages['node_modules/better-sqlite3-12']
  expect(edition).toMatchObject({ optional: true, engines: { node: '20.x' } })
  expect(manifest.optionalDependencies).toEqual({ 'better-sqlite3': '~12.9.0 || ^13.2.0' })
})
