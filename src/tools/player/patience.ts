/** How often a call is repeated, in milliseconds. */
export interface Patience {
  within: number
  every: number
}

/** Staging completes a refund within seconds; a minute allows for a slow one. */
export const PATIENCE: Patience = { within: 60_000, every: 2_000 }
