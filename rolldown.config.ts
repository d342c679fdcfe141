import { chmodSync } from 'node:fs'
import { defineConfig } from 'rolldown'
import manifest from './package.json' with { type: 'json' }
import { textImports } from './text-imports.ts'

// package.json alone says what the package offers. Each dist/NAME.js that it names is built from src/NAME.ts, so a new
// entry is one line in its `exports`.
const offered = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : entry.default,
)
const entries = [...offered, ...Object.values(manifest.bin)].map((file) => file.match(/(\w[\w-]*)\.js$/)![1]!)

/** Started by its file's name, as a thread. */
const THREADS = ['simulator-thread']

export default defineConfig({
  input: Object.fromEntries([...entries, ...THREADS].map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  transform: { target: 'node20.19' },

  // What is written in JavaScript goes into the bundle: loaded as hundreds of small files it takes half as long again
  // to start. What stays outside is native, or is the caller's own and has to be the same copy.
  external: ['vitest', 'testcontainers'],

  output: {
    dir: 'dist',
    cleanDir: true,
    chunkFileNames: '[name]-[hash].js',
    // Names and line ends stay: a stack trace in a bug report is read by a person. It starts as fast, and is a third larger.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  },

  plugins: [
    textImports,
    { name: 'executable-command', writeBundle: () => chmodSync(manifest.bin.paysim, 0o755) },
  ],
})
