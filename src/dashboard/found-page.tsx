/** Nothing was found, and what would have been. */
import { Empty } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

export function FoundPage({ view, asked }: { view: View; asked: string }) {
  return (
    <DashboardFrame view={view} title="Nothing found">
      <h1>Nothing found</h1>
      <Empty title={`Nothing is known as “${asked}” in this sandbox`}>
        <p>
          An id (chk_…, auth_…, ref_…, cus_…, pm_…, evt_…, dlv_…, req_…), an Idempotency-Key, an orderId or an
          externalId leads to what it names. They are looked for as a whole.
        </p>
      </Empty>
    </DashboardFrame>
  )
}
