/** Every list: a table, and on a narrow screen a block for each row. */
import type { Child } from 'hono/jsx'
import { dateText } from './text.ts'

interface Column<Row> {
  label: string
  cell(row: Row): Child
  /**
   * Classes of its cells. `number` aligns right, `whole` does not wrap. On a narrow screen `wide` leaves room for one short cell
   * next to it, `long` gets its own line below the others, and `none` is hidden.
   */
  class?: string | ((row: Row) => string | undefined)
}

interface ListProps<Row> {
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** The id of a row, by which it is found when the list is rendered again. */
  idOf?: (row: Row) => string
  /** The instant of a row, for a heading above each day. */
  atOf?: (row: Row) => string
  /** `named`: on a narrow screen each cell shows the label of its column. */
  look?: 'named' | 'orders'
}

/**
 * A name such as `paymentMethodType` that may break before each of its words, so that the column is only as
 * wide as its values.
 */
export function Words({ name }: { name: string }) {
  return name.split(/(?=[A-Z])/).map((word, index) => (
    <>
      {index > 0 && <wbr />}
      {word}
    </>
  ))
}

export function List<Row>({ name, columns, rows, idOf, atOf, look }: ListProps<Row>) {
  const days = rows.map((row) => (atOf ? dateText(Date.parse(atOf(row))) : undefined))
  return (
    <div class="list">
      <table class={look} aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ label, class: look }) => (
              <th scope="col" class={typeof look === 'string' ? look : undefined}>
                <Words name={label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <>
              {days[index] !== days[index - 1] && (
                <tr class="day">
                  <th scope="rowgroup" colspan={columns.length}>
                    {days[index]}
                  </th>
                </tr>
              )}
              <tr id={idOf?.(row)} data-id={idOf?.(row)}>
                {columns.map(({ label, cell, class: look }) => (
                  <td data-label={label} class={typeof look === 'function' ? look(row) : look}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            </>
          ))}
        </tbody>
      </table>
    </div>
  )
}
