/** The test in JavaScript or TypeScript, for the runner that the project has. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import payText from './pay.js?text'
import { firstUpward, type Project, packagesIn, readManifest } from './project.ts'

type Runner = 'vitest' | 'jest' | 'mocha' | 'node:test'

interface PackageManager {
  lockFile: string
  install: string
  /** Runs a command of an installed package. */
  run: string
  /** The same, without asking for one that is not installed. */
  runInCi: string
}

const NPM: PackageManager = {
  lockFile: 'package-lock.json',
  install: 'npm ci',
  run: 'npx',
  // Without it npx would fetch the package `paysim` of npm, which may be another one.
  runInCi: 'npx --no-install',
}
const PACKAGE_MANAGERS: readonly PackageManager[] = [
  NPM,
  {
    lockFile: 'pnpm-lock.yaml',
    install: 'corepack enable && pnpm install --frozen-lockfile',
    run: 'pnpm exec',
    runInCi: 'pnpm exec',
  },
  {
    lockFile: 'yarn.lock',
    install: 'corepack enable && yarn install',
    run: 'yarn',
    runInCi: 'yarn',
  },
]

export interface JavaScriptProject extends Pick<PackageManager, 'install' | 'run' | 'runInCi'> {
  test: { path: string; text: string; command: string }
  /** How package.json names paysim, or one above it of the same repository, if one does. */
  paysim: unknown
}

export function javaScriptProject(project: Project): JavaScriptProject {
  const { type, jest, babel, ...manifest } = readManifest(project.folder)
  const packages = packagesIn(manifest)
  const has = (name: string) => Object.hasOwn(packages, name)
  const runner: Runner = (['vitest', 'jest', 'mocha'] as const).find(has) ?? 'node:test'
  const isModule = type === 'module'
  const isTyped =
    (has('typescript') || project.has('tsconfig.json')) &&
    (runner === 'vitest' ||
      (runner === 'jest' &&
        ['ts-jest', '@swc/jest', '@babel/preset-typescript'].some(has) &&
        // Jest compiles no types where nothing tells it by what.
        Boolean(jest || babel || readdirSync(project.folder).some((name) => JEST_SETTINGS.test(name)))))
  const { install, run, runInCi } = managerOf(project) ?? { ...NPM, install: 'npm install' }
  const path = `${project.has('tests') ? 'tests' : 'test'}/paysim.test.${isTyped ? 'ts' : RUNNERS[runner].ending(isModule)}`
  return {
    install,
    run,
    runInCi,
    test: {
      path,
      text: testText({
        runner,
        isTyped,
        isRequired: runner === 'jest' && !isTyped && !isModule,
        hasBrowser: ['jsdom', 'happy-dom', 'jest-environment-jsdom'].some(has),
        hasJestTypes: has('@types/jest'),
      }),
      command: RUNNERS[runner].command(path, run, isModule && !isTyped),
    },
    paysim: firstUpward(project, (at) => packagesIn(readManifest(at)).paysim),
  }
}

/** Several packages may share one lock file. */
const managerOf = (project: Project) =>
  firstUpward(project, (at) => PACKAGE_MANAGERS.find(({ lockFile }) => existsSync(join(at, lockFile))))

const JEST_SETTINGS = /^(jest|babel)\.config\.|^\.babelrc/

interface RunnerRow {
  /** The ending of a test file that the runner takes without a setting; `isModule`: package.json has `type: module`. */
  ending(isModule: boolean): string
  command(path: string, run: string, isModule: boolean): string
  /** The first line of the test: it asks for Node in place of a simulated browser, which has no sockets. */
  pragma: string
  imports: readonly string[]
  words: { before: string; after: string; test: string }
  equal(actual: string, expected: string): string
}

const asserting = {
  pragma: '',
  ending: (isModule: boolean) => (isModule ? 'js' : 'mjs'),
  equal: (actual: string, expected: string) => `assert.deepEqual(${actual}, ${expected})`,
}

const RUNNERS: Readonly<Record<Runner, RunnerRow>> = {
  vitest: {
    ending: () => 'js',
    command: (path, run) => `${run} vitest run ${path}`,
    pragma: '// @vitest-environment node\n',
    imports: ["import { useSandbox } from 'paysim/vitest'", "import { expect, test } from 'vitest'"],
    words: { before: 'beforeAll', after: 'afterAll', test: 'test' },
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
  },
  jest: {
    ending: () => 'js',
    command: (path, run, isModule) =>
      isModule
        ? `node --experimental-vm-modules node_modules/jest/bin/jest.js ${path}`
        : `${run} jest ${path}`,
    pragma: '/** @jest-environment node */\n',
    imports: ["import { createSimulator } from 'paysim'"],
    words: { before: 'beforeAll', after: 'afterAll', test: 'test' },
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
  },
  mocha: {
    ...asserting,
    command: (path, run) => `${run} mocha --timeout 60000 ${path}`,
    imports: ["import assert from 'node:assert/strict'", "import { createSimulator } from 'paysim'"],
    words: { before: 'before', after: 'after', test: 'it' },
  },
  'node:test': {
    ...asserting,
    command: (path) => `node --test ${path}`,
    imports: [
      "import assert from 'node:assert/strict'",
      "import { after, before, test } from 'node:test'",
      "import { createSimulator } from 'paysim'",
    ],
    words: { before: 'before', after: 'after', test: 'test' },
  },
}

interface TestForm {
  runner: Runner
  isTyped: boolean
  /** Whether the file is CommonJS. */
  isRequired: boolean
  hasBrowser: boolean
  hasJestTypes: boolean
}

function testText({ runner, isTyped, isRequired, hasBrowser, hasJestTypes }: TestForm): string {
  const { pragma, imports, words, equal } = RUNNERS[runner]
  const typed = (type: string) => (isTyped ? `: ${type}` : '')
  const required = (line: string) => line.replace(/^import (.*) from (.*)$/, 'const $1 = require($2)')
  // From TypeScript 6 on the types of Jest's globals are there only where a file or a tsconfig.json names them.
  const typesOfGlobals =
    runner !== 'jest' || !isTyped
      ? ''
      : hasJestTypes
        ? '/// <reference types="jest" />\n'
        : "import { afterAll, beforeAll, expect, test } from '@jest/globals'\n"
  const sandbox =
    runner === 'vitest'
      ? `const shop = useSandbox()
`
      : `const sim = createSimulator({ rateLimit: 'off' })
const shop = sim.sandbox('shop')
let url${typed('string')}
${words.before}(async () => {
  url = (await sim.listen()).url
})
${words.after}(() => sim.close())
`
  const client = payText
    .replace('export ', '')
    .replace(
      '(path, body)',
      `(path${typed('string')}, body${typed('object')})${typed('Promise<{ id: string }>')}`,
    )
    .replace('${url}', runner === 'vitest' ? '${shop.url}' : '${url}')
  return `${hasBrowser ? pragma : ''}${typesOfGlobals}${imports.map(isRequired ? required : String).join('\n')}

${sandbox}
${words.test}('a lost answer does not refund twice', async () => {
  const order = {
    orderId: 'order-1', externalId: 'ada', amount: 100,
    successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no',
  }
  const { id } = await pay('/checkouts', order)
  await pay(\`/checkouts/\${id}/confirm\`, {})

  shop.arm({ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'after-commit' } })
  await pay(\`/checkouts/\${id}/refunds\`, { amount: 25 })

  ${equal('shop.ledger().sums.refunded', '25')}
  ${runner === 'vitest' ? 'expect(shop).toBehave()' : equal('shop.conduct().findings', '[]')}
}${runner === 'jest' ? ', 60_000' : ''})

${client}`
}
