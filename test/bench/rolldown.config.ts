import { defineConfig } from 'rolldown'

// Node 20 cannot run TypeScript, and a measured process should not include a loader.
export default defineConfig({
  input: ['bench', 'floor', 'load', 'proxies', 'soak'].map((name) => `test/bench/${name}.ts`),
  platform: 'node',
  // The floor's libraries stay external, as in any app of its size. A bundle would start in two thirds of the time.
  external: ['paysim', 'paysim/control', 'hono', 'hono/http-exception', '@hono/node-server', 'zod'],
  output: { dir: 'test/bench/built', cleanDir: true },
})
