/** The tone in which a state is shown: it waits, it is on its way, it has come to its end well, or it is over. */
export type StateTone = 'wait' | 'way' | 'good' | 'over'

const TONES: Record<string, StateTone> = {
  pending: 'wait',
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

export const stateTone = (state: string): StateTone => TONES[state] ?? 'over'
