/** The step of a buyer who was declined credit: they can still pay by card. */
import type { CreditDecision } from '../../service/domain/application.ts'
import { cents, moneyText } from '../../spec/contract/money.ts'
import { Lead } from '../blocks.tsx'
import { Form, Submit } from '../form.tsx'
import { CheckoutFrame, Emblem, type Order, Staging } from './frame.tsx'
import type { Step } from './step.ts'

export const declined: Step = {
  isOpen: (_, application) => application?.status === 'declined',
  page({ order, token, application }) {
    const decision = application.decision!
    return (
      <CheckoutFrame order={order} step="application" title="Not approved">
        <Emblem tone="bad" icon="cross" />
        <Lead title="We cannot offer you credit for this order">{whyDeclined(decision, order)}</Lead>
        <p>Nothing was charged. You can still pay by card, without an application.</p>
        <Form action={`${order.path}/method`} token={token}>
          <input type="hidden" name="method" value="card" />
          <Submit>Pay by card instead</Submit>
        </Form>
        <a class="knob wide" href={`${order.path}/cancel`}>
          Return to {order.merchant}
        </a>
        <Staging order={order} title="how to be approved">
          <WayToApproval order={order} decision={decision} />
        </Staging>
      </CheckoutFrame>
    )
  },
}

/** The reason in words for a buyer, without scores. */
function whyDeclined({ limit, explanation }: CreditDecision, { amount, currency }: Order): string {
  if (limit === null) return explanation
  return limit === 0
    ? 'We checked your application, and cannot give you credit now.'
    : `We can give you credit for up to ${moneyText(cents(limit), currency)}, and this order is ${moneyText(amount, currency)}.`
}

/** A link to log in with another contact, which is another buyer, so the application starts over. */
function WayToApproval({
  order,
  decision: { reason, explanation },
}: {
  order: Order
  decision: CreditDecision
}) {
  if (!order.testers) return null
  const { dashboard, approved } = order.testers
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
