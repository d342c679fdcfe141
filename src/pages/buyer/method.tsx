/** The step at which a buyer chooses how to pay, unless the platform did. */
import { submitMethod } from '../../service/buyer-flow/flow.ts'
import { Problem } from '../form.tsx'
import { Icon } from '../icons.tsx'
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
  title: 'Choose how to pay',
  question: 'How would you like to pay?',
  labels: LABELS,
  isOpen: ({ order }, application) =>
    !order.preselected && application !== undefined && application.status !== 'accepted',
  submit: ({ unit, application, typed }) => submitMethod(unit, application, typed),
  button: () => 'Continue',
  form: ({ application, problems }) => (
    <fieldset aria-describedby={problems?.method && 'method-problem'}>
      <legend class="hidden-text">How would you like to pay?</legend>
      {METHODS.map(({ value, label, hint, icon }, index) => (
        <label class="knob wide choice">
          <input
            type="radio"
            name="method"
            value={value}
            checked={value === application.method}
            autofocus={index === 0 && problems !== undefined}
            required
          />
          <span>
            <b>{label}</b>
            <small class="soft small">{hint}</small>
          </span>
          <Icon name={icon} size={28} />
        </label>
      ))}
      {problems?.method && <Problem of="method">{problems.method}</Problem>}
    </fieldset>
  ),
}
