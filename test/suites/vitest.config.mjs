import { defineConfig } from 'vitest/config'

/** Other tests run these suites in the gauntlet. Two files make Vitest use two processes. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: [process.env.SPECS ?? '{orders,time}.spec.mjs'],
    maxWorkers: 2,
  },
})
