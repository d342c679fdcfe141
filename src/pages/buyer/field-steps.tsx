/** The steps at which a buyer types a card, an application for credit, or a bank account. */
import { apply, submitBank, submitCard } from '../../service/buyer-flow/flow.ts'
import { MoneyText, Notice } from '../blocks.tsx'
import { Back } from './frame.tsx'
import { fieldStep } from './step.ts'

/** Digits, at most so many characters with spaces between them. */
const digits = (maxlength: number) => ({ inputmode: 'numeric', maxlength }) as const

export const card = fieldStep({
  fills: 'card',
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
  button: () => 'Continue to review',
  below: Back,
})

export const application = fieldStep({
  fills: 'application',
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
  button: () => 'Apply',
  below: Back,
})

export const bank = fieldStep({
  fills: 'bank',
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
  button: () => 'Continue to review',
  below: Back,
  good: ({ order }) => (
    <Notice tone="good">
      <b>You are approved.</b> You can pay the <MoneyText amount={order.amount} currency={order.currency} />{' '}
      from your bank account.
    </Notice>
  ),
  help: ({ application }) => <p>Why you are approved: {application.decision!.explanation}</p>,
})
