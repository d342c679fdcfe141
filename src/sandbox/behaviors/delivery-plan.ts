/** How the deliveries of one event are made. A fault takes a plan and returns a changed one. */
import type { DoOf } from '../scenario-file/behavior.ts'

export type SignatureFault = DoOf<'webhook'>['webhook']['sign']

export interface DeliveryPlan {
  copies: number
  afterMs: number
  /** Whether these deliveries are held back and made after those of the next event. */
  afterNextEvent: boolean
  sign: SignatureFault
}

/** One delivery, at once, with a valid signature. */
export const DEFAULT_PLAN: DeliveryPlan = { copies: 1, afterMs: 0, afterNextEvent: false, sign: undefined }
