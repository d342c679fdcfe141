/**
 * Lists by day, newest row first: each day has a heading that stays in view, and a line says how long nothing
 * happened.
 */
import type { Child } from 'hono/jsx'
import { dateText, gapText } from './text.ts'
import type { View } from './view.ts'

/** Shorter gaps get no line: the times of the rows show them. */
const GAP_MS = 60 * 60 * 1000

interface ByDayProps<Row> {
  view: View
  /** The class of the list. */
  look: string
  rows: readonly Row[]
  atOf(row: Row): number
  children(row: Row): Child
  /** What stands below the rows. */
  last?: Child
}

export function ByDay<Row>({ view, look, rows, atOf, children: show, last }: ByDayProps<Row>) {
  return (
    <ol class={look} reversed>
      {rows.map((row, index) => {
        const at = atOf(row)
        const above = index === 0 ? undefined : atOf(rows[index - 1]!)
        const isNewDay = above === undefined || dateText(above) !== dateText(at)
        return (
          <>
            {above !== undefined && above - at >= GAP_MS && (
              <li class="gap">
                {gapText(above - at)} later{view.movedBetween(at, above) && ': you moved the clock'}
              </li>
            )}
            {isNewDay && (
              <li class="day">
                <h2>{dateText(at)}</h2>
              </li>
            )}
            {show(row)}
          </>
        )
      })}
      {last}
    </ol>
  )
}
