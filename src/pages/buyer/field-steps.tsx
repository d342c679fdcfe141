/** Steps with fields, and those at which a buyer types a card, an application for credit, or a bank account. */
import type { Child } from 'hono/jsx'
import { apply, submitBank, submitCard } from '../../service/buyer-flow/flow.ts'
import type { SuggestionPage } from '../../service/environments/rules.ts'
import { Lead, MoneyText, Notice } from '../blocks.tsx'
import { Field, type FieldProps, Form, type Labels, Submit } from '../form.tsx'
import { Back, CheckoutFrame, Staging } from './frame.tsx'
import type { Step, StepView } from './step.ts'

interface FieldStep<Name extends string>
  extends Pick<Step<Name>, 'isLogIn' | 'isOpen' | 'forgets' | 'submit'> {
  name: SuggestionPage
  title: string
  /** The question above the form; default: the title. */
  question?: string
  about?(view: StepView<Name>): Child
  labels: Labels<Name>
  /** What the fields have besides their labels. Fields in one line are a list. */
  fields: readonly (Shape<Name> | readonly Shape<Name>[])[]
  button?: string
  /** Above the form, until it has a mistake. */
  good?(view: StepView<Name>): Child
  below?(view: StepView<Name>): Child
  help?(view: StepView<Name>): Child
}

type Shape<Name extends string> = Omit<FieldProps, 'name' | 'label'> & { name: Name }

export function fieldStep<Name extends string>(step: FieldStep<Name>): Step<Name> {
  const { name, title, question = title, about, labels, fields, good, help } = step
  const { button = 'Continue to review', below = ({ order }) => <Back order={order} /> } = step
  return {
    ...step,
    fills: name,
    page(view) {
      const { order, token, values, problems, fills } = view
      const show = (shape: Shape<Name>) => {
        const { name } = shape
        const state = { label: labels[name], value: values?.[name], problem: problems?.[name] }
        return <Field {...shape} {...state} id={name} required />
      }
      return (
        <CheckoutFrame order={order} step={name} title={title} problems={problems} labels={labels}>
          <Lead title={question}>{about?.(view)}</Lead>
          {!problems && good?.(view)}
          <Form action={`${order.path}/${name}`} token={token}>
            {fields.map((part) => ('name' in part ? show(part) : <div class="pair">{part.map(show)}</div>))}
            <Submit>{button}</Submit>
          </Form>
          {below(view)}
          <Staging order={order} fills={fills}>
            {help?.(view)}
          </Staging>
        </CheckoutFrame>
      )
    },
  }
}

/** Digits, at most so many characters with spaces between them. */
const digits = (maxlength: number) => ({ inputmode: 'numeric', maxlength }) as const

export const card = fieldStep({
  name: 'card',
  title: 'Card details',
  labels: { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' },
  isOpen: (_, application) =>
    application?.status === 'entering_card' ||
    (application?.status === 'reviewing' && application.method === 'card'),
  forgets: ['number', 'cvc'],
  submit: ({ unit, application, typed }) => submitCard(unit, application, typed),
  fields: [
    { name: 'number', autocomplete: 'cc-number', ...digits(30) },
    [
      { name: 'expiry', hint: 'Month / year', autocomplete: 'cc-exp', ...digits(10) },
      { name: 'cvc', hint: '3 or 4 digits', autocomplete: 'cc-csc', ...digits(4) },
    ],
  ],
})

export const application = fieldStep({
  name: 'application',
  title: 'Application',
  question: 'Tell us who is buying',
  about: () => 'The decision is immediate, and applying costs nothing.',
  labels: {
    first: 'First name',
    last: 'Last name',
    business: 'Business name',
    nationalId: 'National ID',
  },
  isOpen: (_, application) => application?.status === 'applying',
  forgets: ['nationalId'],
  submit: ({ unit, checkout, application, typed }) => apply(unit, checkout, application, typed),
  fields: [
    [
      { name: 'first', autocomplete: 'given-name', maxlength: 100 },
      { name: 'last', autocomplete: 'family-name', maxlength: 100 },
    ],
    { name: 'business', autocomplete: 'organization', maxlength: 200 },
    { name: 'nationalId', hint: 'Nine digits. We keep the last four.', ...digits(20) },
  ],
  button: 'Apply',
})

export const bank = fieldStep({
  name: 'bank',
  title: 'Bank account',
  question: 'Your bank account',
  about: () => 'The payment will be taken from this account.',
  labels: { routing: 'Routing number', account: 'Account number' },
  isOpen: (_, application) =>
    application?.status === 'entering_bank' ||
    (application?.status === 'reviewing' && application.method === 'bank_account'),
  forgets: ['account'],
  submit: ({ unit, application, typed }) => submitBank(unit, application, typed),
  fields: [
    { name: 'routing', hint: 'Nine digits, at the bottom left of a check.', ...digits(20) },
    { name: 'account', hint: '4 to 17 digits.', ...digits(30) },
  ],
  good: ({ order }) => (
    <Notice tone="good">
      <b>You are approved.</b> You can pay the <MoneyText amount={order.amount} currency={order.currency} />{' '}
      from your bank account.
    </Notice>
  ),
  help: ({ application }) => <p>Why you are approved: {application.decision!.explanation}</p>,
})
