/** Lists by day, the newest row first: the day as a heading that stays, and how much later the rows above a gap came. */
import type { Child } from 'hono/jsx'
import { dateText, gapText } from './text.ts'
import type { View } from './view.ts'

/** A shorter gap is seen in the times of the rows. */
const GAP_MS = 60 * 60 * 1000

interface ByDayProps<Row> {
  view: View
  rows: readonly Row[]
  atOf(row: Row): number
  children(row: Row): Child
}

export function ByDay<Row>({ view, rows, atOf, children: show }: ByDayProps<Row>) {
  return (
    <>
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
    </>
  )
}
