/** The answer to a search without a result. */
import { Empty } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

export function NothingFoundPage({ view, term }: { view: View; term: string }) {
  return (
    <DashboardFrame view={view} title="Nothing found">
      <h1>Nothing found</h1>
      <Empty title={`Nothing in this sandbox has the id or key “${term}”`}>
        <p>
          An id (chk_…, auth_…, ref_…, cus_…, pm_…, evt_…, dlv_…, req_…), an Idempotency-Key, an orderId or an
          externalId can be found. It must be written in full.
        </p>
      </Empty>
    </DashboardFrame>
  )
}
