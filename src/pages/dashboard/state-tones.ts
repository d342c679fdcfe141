import type { StateName } from '../../service/domain/states.ts'

/** The color of a state: waiting, in progress, finished well, or ended. */
export type StateTone = 'wait' | 'way' | 'good' | 'over'

const TONES: Readonly<Record<StateName | 'delivered' | 'refund pending', StateTone>> = {
  pending: 'wait',
  'refund pending': 'wait',
  approved: 'way',
  authorized: 'way',
  confirmed: 'good',
  captured: 'good',
  completed: 'good',
  attached: 'good',
  canceled: 'over',
  voided: 'over',
  detached: 'over',
  delivered: 'good',
}

export const stateTone = (state: string): StateTone => TONES[state as keyof typeof TONES] ?? 'over'
