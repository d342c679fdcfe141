/** The steps after the log-in: when each is open, its page, and what its form does. */

import { apply, type FormInput, submitBank, submitCard, submitMethod } from '../../service/buyer-flow/flow.ts'
import type { Application, ApplicationStatus } from '../../service/domain/application.ts'
import { brandName } from '../../service/environments/card-brand.ts'
import type { Checked } from '../../service/environments/forms.ts'
import type { SuggestedInput, SuggestionPage } from '../../service/environments/rules.ts'
import type { Unit } from '../../service/operations/unit.ts'
import type { Checkout } from '../../spec/contract/checkout.ts'
import type { FormState } from '../form.tsx'
import type { Order, StepName } from './frame.tsx'
import { ApplicationPage, BankPage, CardPage, DeclinedPage, MethodPage, ReviewPage } from './pages.tsx'

export type BuyerStep = Exclude<StepName, 'log-in'> | 'declined'

interface View {
  order: Order
  token: string
  application: Application
  form: FormState<string> & { fills: SuggestedInput[] }
}

interface Step {
  isOpen(application: Application, order: Order): boolean
  show(view: View): unknown
  submit?(
    unit: Unit,
    checkout: Checkout,
    application: Application,
    typed: FormInput,
  ): Checked<Application, string>
  /**
   * The fields, in the order of the page. `forgotten`: never sent back to the browser, such as the number of
   * a card, an account or a person.
   */
  fields?: Readonly<Record<string, 'shown again' | 'forgotten'>>
  fills?: SuggestionPage
}

export const BUYER_STEPS: Readonly<Record<BuyerStep, Step>> = {
  method: {
    isOpen: ({ status }, { preselected }) => !preselected && status !== 'logging_in' && status !== 'accepted',
    show: ({ order, token, application, form }) => (
      <MethodPage order={order} token={token} {...form} values={{ method: application.method ?? '' }} />
    ),
    submit: (unit, _, application, typed) => submitMethod(unit, application, typed),
    fields: { method: 'shown again' },
  },
  application: {
    isOpen: ({ status }) => status === 'applying',
    show: ({ order, token, form }) => <ApplicationPage order={order} token={token} {...form} />,
    submit: apply,
    fields: { first: 'shown again', last: 'shown again', business: 'shown again', nationalId: 'forgotten' },
    fills: 'application',
  },
  declined: {
    isOpen: ({ status }) => status === 'declined',
    show: ({ order, token, application }) => (
      <DeclinedPage order={order} token={token} decision={application.decision!} />
    ),
  },
  card: {
    isOpen: ({ status, method }) =>
      status === 'entering_card' || (status === 'reviewing' && method === 'card'),
    show: ({ order, token, form }) => <CardPage order={order} token={token} {...form} />,
    submit: (unit, _, application, typed) => submitCard(unit, application, typed),
    fields: { number: 'forgotten', expiry: 'shown again', cvc: 'forgotten' },
    fills: 'card',
  },
  bank: {
    isOpen: ({ status, method }) =>
      status === 'entering_bank' || (status === 'reviewing' && method === 'bank_account'),
    show: ({ order, token, application, form }) => (
      <BankPage order={order} token={token} {...form} decision={application.decision!} />
    ),
    submit: (unit, _, application, typed) => submitBank(unit, application, typed),
    fields: { routing: 'shown again', account: 'forgotten' },
    fills: 'bank',
  },
  review: {
    isOpen: ({ status }) => status === 'reviewing',
    show: ({ order, token, application }) => (
      <ReviewPage
        order={order}
        token={token}
        method={application.method ?? 'card'}
        paidWith={describeMeans(application)}
        contact={application.contact ?? ''}
        business={application.method === 'bank_account' ? application.applicant?.business : undefined}
      />
    ),
  },
}

export const isBuyerStep = (name: string): name is BuyerStep => Object.hasOwn(BUYER_STEPS, name)

/** The step at which a returning buyer continues. */
const NEXT: Readonly<Record<ApplicationStatus, BuyerStep | undefined>> = {
  logging_in: undefined,
  choosing_method: 'method',
  entering_card: 'card',
  applying: 'application',
  declined: 'declined',
  entering_bank: 'bank',
  reviewing: 'review',
  accepted: undefined,
}

export const nextBuyerStep = ({ status }: Application): BuyerStep | undefined => NEXT[status]

function describeMeans({ method, card, bankAccount }: Application): string {
  return method === 'card'
    ? `${brandName(card?.brand ?? '') ?? 'Card'} ending in ${card?.last4}`
    : `${bankAccount?.bankName} account ending in ${bankAccount?.last4}`
}
