import { MOVES } from '../../service/domain/states.ts'

/** The color of a state: waiting, in progress, finished well, or ended. */
export type StateTone = 'wait' | 'way' | 'good' | 'over'

const TONES: Readonly<Partial<Record<string, StateTone>>> = {
  pending: 'wait',
  'refund pending': 'wait',
  confirmed: 'good',
  captured: 'good',
  completed: 'good',
  attached: 'good',
  delivered: 'good',
}

/** The states from which a move starts. */
const LEFT_LATER = new Set(
  Object.values(MOVES).flatMap((moves) => Object.values(moves).flatMap(({ from }) => from)),
)

export const stateTone = (state: string): StateTone =>
  TONES[state] ?? (LEFT_LATER.has(state) ? 'way' : 'over')
