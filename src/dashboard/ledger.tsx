/** The ledger: the movements of money that production would make, newest first, and their sums. */
import { fromMajor } from '../contract/money.ts'
import type { Ledger } from '../control/shapes.ts'
import { MoneyText } from '../pages/blocks.tsx'
import { DataTable, Empty, Id, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { counted } from './text.ts'
import type { View } from './view.ts'

export function LedgerPage({ view, ledger }: { view: View; ledger: Ledger }) {
  const { sums, movements } = ledger
  const net = sums.charged + sums.captured - sums.refunded
  return (
    <DashboardFrame view={view} title="Ledger">
      <h1>Ledger</h1>
      <p class="soft">
        No money moves in staging. Each line is a movement of money that production would make.
      </p>
      <dl class="sums">
        <Sum name="Charged" amount={sums.charged} count={counted(sums.charges, 'charge')} />
        <Sum name="Captured" amount={sums.captured} count={counted(sums.captures, 'capture')} />
        <Sum name="Refunded" amount={-sums.refunded} count={counted(sums.refunds, 'refund')} />
        <Sum name="Net" amount={net} count="charged and captured, less refunds" />
      </dl>
      {movements.length === 0 ? (
        <Empty title="No movements yet">
          <p>
            Confirm a checkout or capture an authorization. A request that is retried with its Idempotency-Key
            adds no second line.
          </p>
        </Empty>
      ) : (
        <DataTable
          name="Movements"
          columns={[
            { label: 'time', cell: ({ createdAt }) => <TimeCell at={createdAt} date />, class: 'long' },
            {
              label: 'movement',
              cell: ({ kind }) => <span class={`chip ${kind === 'refund' ? 'wait' : 'good'}`}>{kind}</span>,
            },
            {
              label: 'amount',
              cell: ({ kind, amount }) => (
                <MoneyText amount={fromMajor(kind === 'refund' ? -amount : amount)} />
              ),
              class: 'number',
            },
            {
              label: 'of',
              cell: ({ checkoutId, authorizationId }) => (
                <Id id={checkoutId ?? authorizationId ?? ''} links={view.links} />
              ),
            },
            {
              label: 'refund',
              cell: ({ refundId }) =>
                refundId === null ? <span class="soft">–</span> : <Id id={refundId} links={view.links} />,
              class: ({ refundId }) => (refundId === null ? 'none' : undefined),
            },
          ]}
          rows={movements.toReversed()}
        />
      )}
    </DashboardFrame>
  )
}

function Sum({ name, amount, count }: { name: string; amount: number; count: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <MoneyText amount={fromMajor(amount)} />
        <span class="soft">{count}</span>
      </dd>
    </div>
  )
}
