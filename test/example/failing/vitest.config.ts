import { defineConfig } from 'vitest/config'

// The tests here fail on purpose; failing.test.ts checks their output.
export default defineConfig({ test: { root: import.meta.dirname, include: ['fails.ts', 'no-fixture.ts'] } })
