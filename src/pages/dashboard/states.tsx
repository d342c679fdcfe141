/** The states of a resource as a list, each with the moves that lead on from it; the present one is marked. */
import { State } from './blocks.tsx'
import type { Kind } from './kinds.ts'

interface StatesProps {
  name: string
  moves: Kind['moves']
  /** Undefined where no single resource is shown. */
  present?: string | undefined
}

export function States({ name, moves, present }: StatesProps) {
  const all = Object.entries(moves)
  const states = [...new Set(all.flatMap(([, { from, to }]) => [...from, to]))]
  return (
    <ul class="states" aria-label={`The states of ${name}`}>
      {states.map((state) => {
        const next = all.filter(([, { from }]) => from.includes(state))
        return (
          <li aria-current={state === present ? 'true' : undefined}>
            <State name={state} />
            <span class="wrap">
              {next.length === 0 && <span class="soft">final</span>}
              {next.map(([move, { to }]) => (
                <span>
                  <span class="soft">{move} →</span> {to}
                </span>
              ))}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
