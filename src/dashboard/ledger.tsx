/** The ledger: money that production would have moved, and what it comes to. */

import { fromMajor } from '../contract/money.ts'
import type { Ledger } from '../control/shapes.ts'
import { Money } from '../pages/blocks.tsx'
import { Empty, Id, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'
import { counted } from './words.ts'

export function LedgerPage({ view, ledger }: { view: View; ledger: Ledger }) {
  const { sums, movements } = ledger
  const net = sums.charged + sums.captured - sums.refunded
  return (
    <DashboardFrame view={view} title="Ledger">
      <h1>Ledger</h1>
      <p class="soft">
        No money moves in staging. Every movement that production would have made has one line here.
      </p>
      <dl class="sums">
        <Sum name="Charged" amount={sums.charged} count={counted(sums.charges, 'charge')} />
        <Sum name="Captured" amount={sums.captured} count={counted(sums.captures, 'capture')} />
        <Sum name="Refunded" amount={-sums.refunded} count={counted(sums.refunds, 'refund')} />
        <Sum name="Left" amount={net} count="of all that was taken" />
      </dl>
      {movements.length === 0 ? (
        <Empty title="No money would have moved yet">
          <p>
            Confirm a checkout or capture an authorization. A request that is retried with its Idempotency-Key
            adds no second line: that is what this page is for.
          </p>
        </Empty>
      ) : (
        <table class="list" aria-label="Movements">
          <thead>
            <tr>
              <th scope="col">time</th>
              <th scope="col">movement</th>
              <th scope="col" class="number">
                amount
              </th>
              <th scope="col">of</th>
              <th scope="col">refund</th>
            </tr>
          </thead>
          <tbody>
            {movements.map(({ kind, amount, checkoutId, authorizationId, refundId, createdAt }) => (
              <tr>
                <td class="long" data-label="time">
                  <TimeCell at={createdAt} date />
                </td>
                <td data-label="movement">
                  <span class={`chip ${kind === 'refund' ? 'wait' : 'good'}`}>{kind}</span>
                </td>
                <td data-label="amount" class="number">
                  <Money amount={fromMajor(kind === 'refund' ? -amount : amount)} />
                </td>
                <td data-label="of">
                  <Id id={checkoutId ?? authorizationId ?? ''} links={view.links} />
                </td>
                <td data-label="refund" class={refundId === null ? 'none' : undefined}>
                  {refundId ? <Id id={refundId} links={view.links} /> : <span class="soft">–</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </DashboardFrame>
  )
}

function Sum({ name, amount, count }: { name: string; amount: number; count: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Money amount={fromMajor(amount)} />
        <span class="soft">{count}</span>
      </dd>
    </div>
  )
}
