import { defineConfig } from 'vitest/config'

/** Other tests run these in the gauntlet; the files are two so that there are two processes. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: [process.env.SPECS ?? '{orders,time}.spec.mjs'],
    maxWorkers: 2,
  },
})
