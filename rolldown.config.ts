import { chmodSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'rolldown'
import manifest from './package.json' with { type: 'json' }
import { textImports } from './text-imports.ts'

// package.json alone says what the package offers. Each dist/NAME.js that it names is built from src/NAME.ts, so a new
// entry is one line in its `exports`.
const offered = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : entry.default,
)
const entries = [...offered, ...Object.values(manifest.bin)].map((file) => file.match(/(\w[\w-]*)\.js$/)![1]!)

/**
 * What is loaded together is one file, as finding each further one takes a third of a millisecond. The first name that fits
 * is a module's: a program that imports `paysim/control`, or a command that needs no simulator, loads no server.
 */
const FILES = [
  { name: 'client', from: 'src/control-client.ts' },
  { name: 'options', from: 'src/spec/options/simulator.ts' },
  { name: 'options', from: 'src/spec/package.ts' },
  { name: 'options', from: 'src/spec/contract/translation.ts' },
  { name: 'options', from: 'src/spec/contract/parsed-json.ts' },
  { name: 'options', from: 'src/spec/contract/tester.ts' },
  { name: 'scenarios', from: 'src/sandbox/scenario-file/read-behaviors.ts' },
  { name: 'scenarios', from: 'src/sandbox/scenario-file/requests.ts' },
  { name: 'scenarios', from: 'src/tester/control/verbs.ts' },
  { name: 'scenarios', from: 'src/sandbox/scenario-file/number-texts.ts' },
  { name: 'scenarios', from: 'src/sandbox/scenario-file/unfired-sentence.ts' },
  // With YAML, which no server needs to start.
  { name: 'yaml', from: 'src/sandbox/scenario-file/read.ts' },
  { name: 'server', from: 'src/server/simulator/simulator.ts' },
  // A platform's requests need neither; a start with kept sandboxes needs the first.
  { name: 'arming', from: 'src/sandbox/behaviors/arming-parts.ts' },
  { name: 'control', from: 'src/tester/control/control-parts.ts' },
]

type ModuleInfo = { getModuleInfo(id: string): { importedIds: readonly string[] } | null }

const together = new Map<string, string>()

function fileOf(id: string, info: ModuleInfo): string | null {
  for (const { name, from } of together.size === 0 ? FILES : []) gather(resolve(from), name, info)
  return together.get(id) ?? null
}

function gather(id: string, name: string, info: ModuleInfo): void {
  if (together.has(id)) return
  together.set(id, name)
  for (const imported of info.getModuleInfo(id)?.importedIds ?? []) gather(imported, name, info)
}

/** Started by its file's name, as a thread. */
const THREADS = ['simulator-thread']

export default defineConfig({
  input: Object.fromEntries([...entries, ...THREADS].map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  transform: { target: 'node20.19' },

  // What is written in JavaScript goes into the bundle: loaded as hundreds of small files it takes half as long again
  // to start. What stays outside is native, or is the caller's own and has to be the same copy.
  external: ['vitest', 'testcontainers'],

  // An entry may export more to other chunks: `includeDependenciesRecursively: false` needs it.
  preserveEntrySignatures: 'allow-extension',

  output: {
    dir: 'dist',
    cleanDir: true,
    chunkFileNames: '[name]-[hash].js',
    // Names and line ends stay: a stack trace in a bug report is read by a person. It starts as fast, and is a third larger.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: fileOf, debugName: 'loaded together' }],
    },
  },

  plugins: [
    textImports,
    { name: 'executable-command', writeBundle: () => chmodSync(manifest.bin.paysim, 0o755) },
  ],
})
