/** The step at which an approved buyer enters a bank account. */
import { submitBank } from '../../service/buyer-flow/flow.ts'
import { Lead, MoneyText, Notice } from '../blocks.tsx'
import { Field, Form, fieldsOf, Submit } from '../form.tsx'
import { Back, Staging, StepFrame } from './frame.tsx'
import type { Step } from './step.ts'

const LABELS = { routing: 'Routing number', account: 'Account number' }

export const bank: Step<keyof typeof LABELS> = {
  isOpen: ({ status, method }) =>
    status === 'entering_bank' || (status === 'reviewing' && method === 'bank_account'),
  labels: LABELS,
  forgets: ['account'],
  fills: 'bank',
  submit: (unit, _, application, typed) => submitBank(unit, application, typed),
  page({ order, token, application, fills, ...form }) {
    const field = fieldsOf(form, LABELS)
    return (
      <StepFrame
        order={order}
        step="bank"
        method="bank_account"
        title="Bank account"
        problems={form.problems}
        labels={LABELS}
      >
        <Lead title="Your bank account">The payment is taken from this account.</Lead>
        {!form.problems && (
          <Notice tone="good">
            <b>You are approved.</b> You can pay the{' '}
            <MoneyText amount={order.amount} currency={order.currency} /> from your bank account.
          </Notice>
        )}
        <Form action={`${order.path}/bank`} token={token} keeps>
          <Field {...field('routing')} hint="Nine digits, at the bottom left of a check." digits={20} />
          <Field {...field('account')} hint="4 to 17 digits." digits={30} />
          <Submit>Continue to review</Submit>
        </Form>
        <Back order={order} />
        <Staging order={order} fills={fills}>
          <p>Why you are approved: {application.decision!.explanation}</p>
        </Staging>
      </StepFrame>
    )
  },
}
