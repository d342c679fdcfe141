import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // Every core works: without this, one is kept free, which on two cores is half of them.
    maxWorkers: '100%',
    // Generous, for tests that start a process or a browser beside others. Nothing waits that long to pass.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
