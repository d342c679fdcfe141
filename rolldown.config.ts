import { chmodSync } from 'node:fs'
import { defineConfig } from 'rolldown'
import manifest from './package.json' with { type: 'json' }

// package.json alone says what the package offers. Each dist/NAME.js that it names is built from src/NAME.ts, so a new
// entry is one line in its `exports`.
const offered = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : entry.default,
)
const entries = [...offered, ...Object.values(manifest.bin)].map((file) => file.match(/(\w[\w-]*)\.js$/)![1]!)

export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  transform: { target: 'node20.19' },

  // What is written in JavaScript goes into the bundle: loaded as hundreds of small files it takes half as long again
  // to start. What stays outside is native, or is the caller's own and has to be the same copy.
  external: ['vitest', 'testcontainers'],

  // Chunks lie flat in dist/, as deep under the package's root as src/*.ts. So a file that finds fixtures by
  // `new URL('../fixtures/', import.meta.url)` finds them from the source and from the bundle alike.
  output: { dir: 'dist', cleanDir: true, chunkFileNames: '[name]-[hash].js' },

  plugins: [{ name: 'executable-command', writeBundle: () => chmodSync(manifest.bin.paysim, 0o755) }],
})
