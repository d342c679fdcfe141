/** A step after the log-in; each is one file. steps.ts lists them. */
import type { FormInput } from '../../service/buyer-flow/flow.ts'
import type { Application } from '../../service/domain/application.ts'
import type { Checked } from '../../service/environments/forms.ts'
import type { SuggestedInput, SuggestionPage } from '../../service/environments/rules.ts'
import type { Unit } from '../../service/operations/unit.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { FormState, Labels } from '../form.tsx'
import type { Order } from './frame.tsx'

/** The content of its page. */
export type StepView<Field extends string = never> = FormState<Field> & {
  order: Order
  token: string
  application: Application
  fills: SuggestedInput[]
}

export interface Step<Field extends string = never> {
  isOpen(application: Application, order: Order): boolean
  page(view: StepView<Field>): unknown
  /** The fields of its form, in the order of the page. */
  labels?: Labels<Field>
  /** The fields that are never sent back to the browser, such as the number of a card, an account or a person. */
  forgets?: readonly Field[]
  fills?: SuggestionPage
  submit?(
    unit: Unit,
    checkout: Checkout,
    application: Application,
    typed: FormInput,
  ): Checked<Application, Field>
  /** Whether its form leads to the shop. */
  isLast?: boolean
}
