/** The answer to a search without a result. */
import { Empty } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

export function NothingFoundPage({ view, term }: { view: View; term: string }) {
  return (
    <DashboardFrame view={view} title="Nothing found">
      <h1>Nothing found</h1>
      <Empty title={`Nothing in this sandbox has “${term}”`}>
        <p>
          A part of an id, an orderId, a business, a name, an e-mail, a message or an error can be found, and
          an amount as 12.50 or 1250. Parts are looked for in the latest 5,000 of each kind and in the
          requests of the journal.
        </p>
      </Empty>
    </DashboardFrame>
  )
}
