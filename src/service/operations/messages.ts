/** The messages that a move causes. */
import { moneyText } from '../../spec/contract/money.ts'
import type { ResourceName } from '../../spec/contract/resources/index.ts'
import type { Refund } from '../../spec/contract/resources/refund.ts'
import type { Unit } from './unit.ts'

export function tellOfMove(unit: Unit, kind: ResourceName, row: { id: string }, by: string): void {
  if (kind === 'refund' && by === 'complete') tellOfRefund(unit, row as Refund)
}

function tellOfRefund(unit: Unit, { id, amount, checkoutId, authorizationId }: Refund): void {
  const { checkouts, authorizations, customers } = unit.store
  const { externalId } = (checkoutId ? checkouts.find(checkoutId) : authorizations.find(authorizationId!))!
  unit.storeMessage({
    channel: 'email',
    to: customers.findByExternalId(externalId)?.email ?? externalId,
    template: 'refund_completed',
    subject: 'Your refund is complete',
    body: `${moneyText(amount, unit.services.contract.currency)} was refunded.`,
    relatedId: id,
  })
}
