/** The step of a buyer who was declined credit: they can still pay by card. */
import { submitMethod } from '../../service/buyer-flow/flow.ts'
import type { CreditDecision } from '../../service/domain/application.ts'
import { cents, moneyText } from '../../spec/contract/money.ts'
import type { Order } from './frame.tsx'
import type { Step } from './step.ts'

export const declined: Step = {
  title: 'Not approved',
  emblem: 'cross',
  question: 'We cannot offer you credit for this order',
  about: ({ application, order }) => whyDeclined(application.decision!, order),
  isOpen: (_, application) => application?.status === 'declined',
  submit({ unit, application }) {
    submitMethod(unit, application, { method: 'card' })
    return {}
  },
  form: () => <p>Nothing was charged. You can still pay by card, without an application.</p>,
  button: () => 'Pay by card instead',
  below: ({ order }) => (
    <a class="knob wide" href={`${order.path}/cancel`}>
      Return to {order.merchant}
    </a>
  ),
  helpTitle: 'how to be approved',
  help: ({ order, application }) => <WayToApproval order={order} decision={application.decision!} />,
}

/** The reason in words for a buyer, without scores. */
function whyDeclined({ limit, explanation }: CreditDecision, { amount, currency }: Order): string {
  if (limit === null) return explanation
  return limit === 0
    ? 'We checked your application, and cannot give you credit now.'
    : `We can give you credit for up to ${moneyText(cents(limit), currency)}, and this order is ${moneyText(amount, currency)}.`
}

/** A link to log in with another contact, which is another buyer, so the application starts over. */
function WayToApproval({ order, decision }: { order: Order; decision: CreditDecision }) {
  if (!order.testers) return null
  const { dashboard, approved } = order.testers
  const { reason, explanation } = decision
  if (reason === 'declined by the bank') {
    return (
      <p>
        A <a href={dashboard('behaviors')}>behavior</a> or a test declined it, not the details that you typed.
        Disarm it, and start a new checkout.
      </p>
    )
  }
  return (
    <>
      <p>Why it was declined: {explanation}</p>
      <p>
        A buyer applies once for an order. <a href={`${order.path}/log-in`}>Log in</a> with another e-mail or
        phone number, and apply as{' '}
        <b>
          {approved.firstName} {approved.lastName}
        </b>
        .
      </p>
    </>
  )
}
