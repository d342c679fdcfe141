/** The last step: a review of the amount and the method, which the buyer accepts. */
import { accept } from '../../service/buyer-flow/flow.ts'
import { brandName } from '../../service/environments/card-brand.ts'
import { MoneyText, type Term, Terms } from '../blocks.tsx'
import { Icon } from '../icons.tsx'
import { applicationOf, type BuyerReply, type BuyerRequest, expired, guarded } from './buyer-request.tsx'
import type { Step } from './step.ts'

const totalOf = ({ order }: BuyerRequest) => <MoneyText amount={order.amount} currency={order.currency} />

export const review: Step = {
  title: 'Review and pay',
  isOpen: (_, application) => application?.status === 'reviewing',
  isLast: true,
  form(view) {
    const { order, application } = view
    const { method, card, bankAccount, applicant, contact } = application
    const byCard = method === 'card'
    /** As stored: “Visa ending in 4242”. */
    const paidWith = byCard
      ? `${brandName(card?.brand ?? '') ?? 'Card'} ending in ${card?.last4}`
      : `${bankAccount?.bankName} account ending in ${bankAccount?.last4}`
    const change = (
      <>
        {paidWith} <a href={`${order.path}/${byCard ? 'card' : 'bank'}`}>Change</a>
      </>
    )
    const facts: Term[] = [
      ['Order', order.orderId],
      ['Pay with', change],
      ...(byCard || !applicant ? [] : [['Business', applicant.business] as const]),
      ['Contact', contact ?? ''],
      ['Total', <b>{totalOf(view)}</b>],
    ]
    return (
      <>
        <Terms terms={facts} />
        <p class="soft small">
          By accepting you allow {order.merchant} to charge {totalOf(view)} once for this order. You then
          return to {order.merchant}.
        </p>
      </>
    )
  },
  button: (view) => (
    <>
      <Icon name="lock" />
      <span>Accept and pay {totalOf(view)}</span>
    </>
  ),
}

export function submitReview(request: BuyerRequest): BuyerReply {
  const { checkout, order, unit } = request
  const application = applicationOf(request)
  // A profile may make the URL optional; without one the buyer stays on the page, which shows the approval.
  const back = checkout.successUrl || order.path
  // A second click: the first request has accepted already.
  if (checkout.status === 'approved' && application?.status === 'accepted') return { to: back }
  return guarded(request, () => {
    if (!application) return expired(request)
    accept(unit, checkout, application)
    return { to: back }
  })
}
