/** Takes the picture of a sandbox that the audit reads. */

import { SEEDED } from '../../sandbox/complete-store.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Do } from '../../sandbox/scenario-file/do.ts'
import { isLeftOpen } from '../../service/domain/states.ts'
import { paymentsOf } from '../../service/operations/unit.ts'
import type { Store } from '../../service/store/store.ts'
import { cents } from '../../spec/contract/money.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { PAYMENT_KINDS } from '../../spec/contract/resources/movements.ts'
import type { Refund } from '../../spec/contract/resources/refund.ts'
import { NAMED_MAX } from '../audit/judge.ts'
import type { CompletedRefund, JournaledRequest, OpenPayments, Picture } from '../audit/picture.ts'
import { amountOf } from './platform-requests.ts'

/** Read from the tables directly: converting deliveries to the tester's form would cost ten times as much. */
export function takePicture(internals: Sandbox, requests: readonly JournaledRequest[]): Picture {
  const { journal, behaviors, config, contract } = internals
  const store = internals.committedStore()
  const acted = behaviors.backgroundResults.list().filter(({ fired }) => fired)
  const subjectsWhere = (holds: (words: Do) => boolean) =>
    acted.filter(({ words }) => holds(words)).map(({ subject }) => subject)
  const declined = store.applications
    .newest(LATEST)
    .flatMap(({ checkoutId, decision }) => (decision?.approved === false ? [checkoutId] : []))
  // The platform did not create the seed data.
  const seeded = new Set(store.settings.get<string[]>(SEEDED))
  const stuck = subjectsWhere((words) => 'transition' in words && words.after === 'never')
  return {
    requests,
    forgotten: journal.forgotten,
    stateNumber: journal.stateNumber,
    deliveries: store.deliveries.made(LATEST.limit).map(({ amount, ...delivery }) => ({
      ...delivery,
      signatureFault: behaviors.deliveryFaults.signatureFaultOf(delivery.eventId) ?? null,
      amount: amountOf(amount),
    })),
    completedRefunds: store.refunds
      .newest({ ...LATEST, status: 'completed' })
      .flatMap(completed)
      .filter(({ id }) => !seeded.has(id)),
    leftOpen: PAYMENT_KINDS.flatMap((kind) => leftOpen(store, kind, seeded)),
    droppedEvents: subjectsWhere((words) => 'webhook' in words && words.webhook.drop === true).filter(
      (event) => store.deliveries.ofEvent(event).length === 0,
    ),
    declinedCheckouts: [...new Set([...declined, ...subjectsWhere((words) => 'decision' in words)])],
    stuckRefunds: stuck.filter((refund) => store.refunds.find(refund)?.status === 'pending'),
    apiKey: config.apiKey,
    currency: contract.currency,
    keyRetentionMs: contract.keyRetentionMs,
  }
}

/** Of deliveries and resources only the latest are read, because a sandbox may have hundreds of thousands. */
export const LATEST = { limit: 20_000 }

/** Count, amount and latest ids of the payments in each state that leaves them open. */
function leftOpen(store: Store, kind: ResourceName, seeded: ReadonlySet<string>): OpenPayments[] {
  const table = paymentsOf(store, kind)
  const statuses = DEFINITIONS[kind].states.filter((status) => isLeftOpen(kind, status))
  return statuses.flatMap((status) => {
    const inAll = table.amountsOf(status)
    const ofSeed = [...seeded].flatMap((id) => table.find(id) ?? []).filter((row) => row.status === status)
    const count = inAll.count - ofSeed.length
    if (count <= 0) return []
    const amount = inAll.amount - ofSeed.reduce((sum, row) => sum + row.amount, 0)
    // Newest first, with the seed data last.
    const newest = table.newest({ status, limit: Math.min(count, NAMED_MAX) })
    return { kind, status, count, ids: newest.map(({ id }) => id), amount: cents(amount) }
  })
}

const completed = ({ id, amount, createdAt, completedAt }: Refund): CompletedRefund[] =>
  completedAt === null ? [] : [{ id, amount, createdAt, completedAt }]
