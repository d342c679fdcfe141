import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { textImports } from './text-imports.ts'

/** Folders whose tests start processes: the built command, npm, compilers, shells, Chromium. They read dist/: `npm run build` first. */
const PROCESS = ['process', 'documents', 'example', 'browser']

/** The longest, also the package as it is installed, what examples/ has, and a client that a public generator makes. */
const LONG = ['long', 'package', 'examples', 'users']

/** Their size depends on test/effort.ts: `fast` runs them small, `long` runs them large. */
const GROWING = [
  'test/model/model.test.ts',
  'test/model/worlds.test.ts',
  'test/contract/hostile.test.ts',
  'test/control/isolation.test.ts',
  'test/scenarios/read.test.ts',
  'test/scenarios/library.test.ts',
  'test/contract/openapi.test.ts',
]

/** The part of the contract that also runs over TLS, over HTTP/2 and under a profile: each writing operation, what its event shows, and two refusals. */
const CONTRACT_AGAIN = ['test/contract/shown-events.test.ts']

/** Files that take minutes although they are small. Vitest begins with the large ones, so a run ended with one of these alone. */
const BEGUN_FIRST = [
  ...['gauntlet', 'programs', 'pairs', 'gauntlet-of-tests', 'trouble-file', 'documents-shell', 'crashes'],
  ...['planted-bugs', 'compare-proof', 'mutation', 'gauntlet-flags', 'gauntlet-command'],
].map((name) => `/test/long/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const at = BEGUN_FIRST.findIndex((file) => moduleId.endsWith(file))
      return at < 0 ? BEGUN_FIRST.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

const testsIn = (...folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`)

/**
 * Ends a test that hangs. It is at least three times what the slowest test takes on a machine with four times as
 * much to do as it has cores; the few that take longer say so themselves. What is made before all tests of a file may
 * take as long as several of them.
 */
const endingAfter = (ms: number) => ({
  testTimeout: ms,
  hookTimeout: Math.max(ms, 60_000),
  expect: { poll: { timeout: ms / 2 } },
})
const timeouts = endingAfter(180_000)

export default defineConfig({
  plugins: [textImports],
  test: {
    // More than the cores: a test that starts a process or opens a page waits for it a good part of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    // Test files of one worker share the modules that they load, which takes a third of the time away.
    isolate: false,
    // The projects share what is transformed, and the next run has it already: node_modules/.experimental-vitest-cache, by content.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, ...testsIn(...PROCESS, ...LONG, 'alone')],
          ...endingAfter(60_000),
        },
      },
      { extends: true, test: { name: 'process', include: testsIn(...PROCESS), ...timeouts } },
      ...Object.entries({
        https: { PAYSIM_TEST_OVER: 'https' },
        http2: { PAYSIM_TEST_OVER: 'http2' },
        // A profile that differs from the defaults in each key that it can change.
        profile: { PAYSIM_TEST_PROFILE: 'different' },
      }).map(([name, env]) => ({
        extends: true as const,
        test: { name, include: CONTRACT_AGAIN, env, ...timeouts },
      })),
      // They judge real pauses of a client, in which other tests would keep it from sending: one at a time, after all others.
      {
        extends: true,
        test: {
          name: 'alone',
          include: testsIn('alone'),
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          ...timeouts,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          // What the package has, its types among it, is read in dist/: `npm run dependencies` first.
          include: [...testsIn(...LONG), ...GROWING],
          env: { PAYSIM_TEST_EFFORT: '3' },
          ...timeouts,
          testTimeout: 600_000,
        },
      },
    ],
  },
})
