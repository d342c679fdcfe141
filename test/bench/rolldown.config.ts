import { defineConfig } from 'rolldown'

// Node 20 runs no TypeScript, and a measured process should not carry a loader.
export default defineConfig({
  input: [
    'bench',
    'load',
    'bare-node',
    'bare-hono',
    'workers',
    'proxies',
    'memory',
    'large-sandbox',
    'soak',
  ].map((name) => `test/bench/${name}.ts`),
  platform: 'node',
  external: ['paysim', 'paysim/control'],
  output: { dir: 'test/bench/built', cleanDir: true },
})
