import { defineConfig } from 'vitest/config'

// The tests here fail on purpose; another test looks at what is said then.
export default defineConfig({ test: { root: import.meta.dirname, include: ['fails.ts', 'no-fixture.ts'] } })
