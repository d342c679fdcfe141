/** The step at which a buyer applies for credit, to pay from a bank account. */
import { apply } from '../../service/buyer-flow/flow.ts'
import { Lead } from '../blocks.tsx'
import { Field, Form, fieldsOf, Submit } from '../form.tsx'
import { Back, Staging, StepFrame } from './frame.tsx'
import type { Step } from './step.ts'

const LABELS = {
  first: 'First name',
  last: 'Last name',
  business: 'Business name',
  nationalId: 'National ID',
}

export const application: Step<keyof typeof LABELS> = {
  isOpen: ({ status }) => status === 'applying',
  labels: LABELS,
  forgets: ['nationalId'],
  fills: 'application',
  submit: apply,
  page({ order, token, fills, ...form }) {
    const field = fieldsOf(form, LABELS)
    return (
      <StepFrame
        order={order}
        step="application"
        method="bank_account"
        title="Application"
        problems={form.problems}
        labels={LABELS}
      >
        <Lead title="Tell us who is buying">The decision is made at once, and applying costs nothing.</Lead>
        <Form action={`${order.path}/application`} token={token} keeps>
          <div class="pair">
            <Field {...field('first')} autocomplete="given-name" maxlength={100} />
            <Field {...field('last')} autocomplete="family-name" maxlength={100} />
          </div>
          <Field {...field('business')} autocomplete="organization" maxlength={200} />
          <Field {...field('nationalId')} hint="Nine digits. We keep the last four." digits={20} />
          <Submit>Apply</Submit>
        </Form>
        <Back order={order} />
        <Staging order={order} fills={fills} />
      </StepFrame>
    )
  },
}
