import { chmodSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { defineConfig } from 'rolldown'
import manifest from './package.json' with { type: 'json' }
import { allPages } from './src/server/http/package-documents.ts'
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from './src/tester/control/addresses.ts'
import { textImports } from './text-imports.ts'

/**
 * package.json alone says what the package offers. Each file of dist that it names is built from src/NAME.ts, so a new entry is
 * one line in its `exports`; one with `require` is built as CommonJS too, for test runners that compile `import()` to it.
 */
const entries = Object.values(manifest.exports).filter((entry) => typeof entry !== 'string')
const nameOf = (file: string) => file.match(/(\w[\w-]*)\.c?js$/)![1]!
const modules = [...entries.map((entry) => entry.import.default), ...Object.values(manifest.bin)].map(nameOf)
const commonJs = entries.flatMap((entry) => ('require' in entry ? nameOf(entry.require.default) : []))

/** Each is started as a thread by the name of its file. */
const THREADS = ['simulator-thread']

const inputOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]))

/** A client loads where a verb is, and neither zod nor the server, which its row needs: 15 MB and 175 ms. */
const addressesAsJson = {
  name: 'addresses as JSON',
  load: (id: string) =>
    id.replaceAll('\\', '/').endsWith('/src/tester/control/addresses.ts')
      ? Object.entries({ SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES })
          .map(([name, verbs]) => `export const ${name} = ${JSON.stringify(verbs)}\n`)
          .join('')
      : null,
}

const shared = {
  platform: 'node' as const,
  transform: { target: 'node20.19' },
  // What is written in JavaScript goes into the bundle: loaded as hundreds of small files it takes half as long again
  // to start. What stays outside is native, or is the caller's own and has to be the same copy.
  external: ['vitest', 'testcontainers'],
  // No warning where one program imports a file at once and another by import(): it is a chunk of its own, so `paysim start` still
  // loads it only when it is asked for.
  checks: { ineffectiveDynamicImport: false },
}

// Names and line ends stay, so that a stack trace in a bug report can be read. It starts as fast, and is a third
// larger.
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: false } } as const

/**
 * Each chunk has these files and all that they import, without what is in a chunk above it. Otherwise a start loads 63 files, most
 * of them small: it takes 12 % more CPU time, and an import of `paysim` 27 % more. The first two are all that `paysim health` needs.
 */
const CHUNKS = {
  client: ['control-client'],
  basics: ['spec/node-http', 'spec/package', 'tools/commands/terminal', 'service/webhooks/sign'],
  options: ['spec/options/simulator', 'tools/options/output-files'],
  behaviors: ['sandbox/scenario-file/read-behaviors'],
  server: ['server/simulator/server'],
}
const groups = Object.entries(CHUNKS).map(([name, files]) => ({
  name,
  test: (id: string) => files.some((file) => id.replaceAll('\\', '/').endsWith(`/src/${file}.ts`)),
}))

export default defineConfig([
  {
    ...shared,
    input: inputOf([...modules, ...THREADS]),
    output: {
      dir: 'dist',
      cleanDir: true,
      chunkFileNames: '[name]-[hash].js',
      minify,
      codeSplitting: { groups },
    },
    plugins: [
      textImports,
      addressesAsJson,
      { name: 'executable-command', writeBundle: () => chmodSync(manifest.bin.paysim, 0o755) },
      {
        name: 'all pages in one text',
        writeBundle: () => writeFileSync('llms-full.txt', allPages(pathToFileURL('./'))),
      },
    ],
  },
  {
    ...shared,
    input: inputOf(commonJs),
    output: {
      dir: 'dist/cjs',
      format: 'cjs',
      cleanDir: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      minify,
    },
    plugins: [textImports, addressesAsJson],
  },
])
