import type { Eventually } from '../../sandbox/scenario-file/expectation.ts'

/** Staging completes a refund within seconds; a minute allows for a slow one. */
export const PATIENCE: Eventually = { within: 60_000, every: 2_000 }
