/**
 * The verbs without their functions, for senders of requests: `paysim/control`, scenarios and the dashboard's forms. The build
 * writes these tables as JSON (rolldown.config.ts), so that a client loads neither zod nor the server.
 */
import { addressesIn } from './route.ts'
import { SANDBOX_VERBS } from './sandbox-verbs.ts'
import { SIMULATOR_VERBS } from './simulator-verbs.ts'

export const SANDBOX_ADDRESSES = addressesIn(SANDBOX_VERBS)
export const SIMULATOR_ADDRESSES = addressesIn(SIMULATOR_VERBS)
