/** The steps at which a buyer types a card, an application for credit, or a bank account. */
import type { Child } from 'hono/jsx'
import { apply, submitBank, submitCard } from '../../service/buyer-flow/flow.ts'
import type { SuggestionPage } from '../../service/environments/rules.ts'
import { Lead, MoneyText, Notice } from '../blocks.tsx'
import { Field, type FieldProps, Form, fieldsOf, type Labels, Submit } from '../form.tsx'
import { Back, type Method, Staging, StepFrame } from './frame.tsx'
import type { Step, StepView } from './step.ts'

interface FieldStep<Name extends string> extends Pick<Step<Name>, 'isOpen' | 'forgets' | 'submit'> {
  name: SuggestionPage & ('card' | 'application' | 'bank')
  method: Method
  title: string
  question: string
  about?: string
  labels: Labels<Name>
  /** What the fields have besides their labels. Fields in one line are a list. */
  fields: readonly (Shape<Name> | readonly Shape<Name>[])[]
  button?: string
  /** Above the form, until it has a mistake. */
  good?(view: StepView<Name>): Child
  help?(view: StepView<Name>): Child
}

type Shape<Name extends string> = Omit<FieldProps, 'name' | 'label'> & { name: Name }

function fieldStep<Name extends string>(step: FieldStep<Name>): Step<Name> {
  const { name, method, title, question, about, labels, fields, good, help } = step
  return {
    ...step,
    fills: name,
    page(view) {
      const { order, token, problems, fills } = view
      const field = fieldsOf(view, labels)
      const show = (shape: Shape<Name>) => <Field {...shape} {...field(shape.name)} />
      return (
        <StepFrame
          order={order}
          step={name}
          method={method}
          title={title}
          problems={problems}
          labels={labels}
        >
          <Lead title={question}>{about}</Lead>
          {!problems && good?.(view)}
          <Form action={`${order.path}/${name}`} token={token}>
            {fields.map((part) => ('name' in part ? show(part) : <div class="pair">{part.map(show)}</div>))}
            <Submit>{step.button ?? 'Continue to review'}</Submit>
          </Form>
          <Back order={order} />
          <Staging order={order} fills={fills}>
            {help?.(view)}
          </Staging>
        </StepFrame>
      )
    },
  }
}

export const card = fieldStep({
  name: 'card',
  method: 'card',
  title: 'Card details',
  question: 'Card details',
  labels: { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' },
  isOpen: ({ status, method }) => status === 'entering_card' || (status === 'reviewing' && method === 'card'),
  forgets: ['number', 'cvc'],
  submit: (unit, _, application, typed) => submitCard(unit, application, typed),
  fields: [
    { name: 'number', named: true, autocomplete: 'cc-number', digits: 30 },
    [
      { name: 'expiry', hint: 'Month / year', autocomplete: 'cc-exp', digits: 10 },
      { name: 'cvc', hint: '3 or 4 digits', autocomplete: 'cc-csc', digits: 4 },
    ],
  ],
})

export const application = fieldStep({
  name: 'application',
  method: 'bank_account',
  title: 'Application',
  question: 'Tell us who is buying',
  about: 'The decision is immediate, and applying costs nothing.',
  labels: {
    first: 'First name',
    last: 'Last name',
    business: 'Business name',
    nationalId: 'National ID',
  },
  isOpen: ({ status }) => status === 'applying',
  forgets: ['nationalId'],
  submit: apply,
  fields: [
    [
      { name: 'first', autocomplete: 'given-name', maxlength: 100 },
      { name: 'last', autocomplete: 'family-name', maxlength: 100 },
    ],
    { name: 'business', autocomplete: 'organization', maxlength: 200 },
    { name: 'nationalId', hint: 'Nine digits. We keep the last four.', digits: 20 },
  ],
  button: 'Apply',
})

export const bank = fieldStep({
  name: 'bank',
  method: 'bank_account',
  title: 'Bank account',
  question: 'Your bank account',
  about: 'The payment will be taken from this account.',
  labels: { routing: 'Routing number', account: 'Account number' },
  isOpen: ({ status, method }) =>
    status === 'entering_bank' || (status === 'reviewing' && method === 'bank_account'),
  forgets: ['account'],
  submit: (unit, _, application, typed) => submitBank(unit, application, typed),
  fields: [
    { name: 'routing', hint: 'Nine digits, at the bottom left of a check.', digits: 20 },
    { name: 'account', hint: '4 to 17 digits.', digits: 30 },
  ],
  good: ({ order }) => (
    <Notice tone="good">
      <b>You are approved.</b> You can pay the <MoneyText amount={order.amount} currency={order.currency} />{' '}
      from your bank account.
    </Notice>
  ),
  help: ({ application }) => <p>Why you are approved: {application.decision!.explanation}</p>,
})
