/** The step at which a buyer chooses how to pay, unless the platform did. */
import { submitMethod } from '../../service/buyer-flow/flow.ts'
import { Lead } from '../blocks.tsx'
import { Form, Problem, Submit } from '../form.tsx'
import { Icon } from '../icons.tsx'
import { CheckoutFrame } from './frame.tsx'
import type { Step } from './step.ts'

const LABELS = { method: 'Payment method' }

const METHODS = [
  { value: 'card', label: 'Card', hint: 'Credit or debit. No application.', icon: 'card' },
  {
    value: 'bank_account',
    label: 'Bank account',
    hint: 'On your business’s credit. A short application, decided immediately.',
    icon: 'bank',
  },
] as const

export const method: Step<keyof typeof LABELS> = {
  isOpen: ({ order }, application) =>
    !order.preselected && application !== undefined && application.status !== 'accepted',
  labels: LABELS,
  submit: ({ unit, application, typed }) => submitMethod(unit, application, typed),
  page({ order, token, application, problems }) {
    const problem = problems?.method
    return (
      <CheckoutFrame
        order={order}
        step="method"
        title="Choose how to pay"
        problems={problems}
        labels={LABELS}
      >
        <Lead title="How would you like to pay?" />
        <Form action={`${order.path}/method`} token={token}>
          <fieldset aria-describedby={problem && 'method-problem'}>
            <legend class="hidden-text">How would you like to pay?</legend>
            {METHODS.map(({ value, label, hint, icon }, index) => (
              <label class="knob wide choice">
                <input
                  type="radio"
                  id={index === 0 ? 'method' : undefined}
                  name="method"
                  value={value}
                  checked={value === application.method}
                  required
                />
                <span>
                  <b>{label}</b>
                  <small class="soft small">{hint}</small>
                </span>
                <Icon name={icon} size={28} />
              </label>
            ))}
            {problem && <Problem of="method">{problem}</Problem>}
          </fieldset>
          <Submit>Continue</Submit>
        </Form>
      </CheckoutFrame>
    )
  },
}
