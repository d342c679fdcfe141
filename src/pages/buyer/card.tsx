/** The step at which a buyer enters a card. */
import { submitCard } from '../../service/buyer-flow/flow.ts'
import { Lead } from '../blocks.tsx'
import { Field, Form, fieldsOf, Submit } from '../form.tsx'
import { Back, Staging, StepFrame } from './frame.tsx'
import type { Step } from './step.ts'

const LABELS = { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' }

export const card: Step<keyof typeof LABELS> = {
  isOpen: ({ status, method }) => status === 'entering_card' || (status === 'reviewing' && method === 'card'),
  labels: LABELS,
  forgets: ['number', 'cvc'],
  fills: 'card',
  submit: (unit, _, application, typed) => submitCard(unit, application, typed),
  page({ order, token, fills, ...form }) {
    const field = fieldsOf(form, LABELS)
    return (
      <StepFrame
        order={order}
        step="card"
        method="card"
        title="Card details"
        problems={form.problems}
        labels={LABELS}
      >
        <Lead title="Card details" />
        <Form action={`${order.path}/card`} token={token} keeps>
          <Field {...field('number')} icon="card" named autocomplete="cc-number" digits={30} />
          <div class="pair">
            <Field {...field('expiry')} hint="Month / year" autocomplete="cc-exp" digits={10} />
            <Field {...field('cvc')} hint="3 or 4 digits" autocomplete="cc-csc" digits={4} />
          </div>
          <Submit>Continue to review</Submit>
        </Form>
        <Back order={order} />
        <Staging order={order} fills={fills} />
      </StepFrame>
    )
  },
}
