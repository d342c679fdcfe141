/** A step of the hosted page. steps.ts lists them. */
import type { Application } from '../../service/domain/application.ts'
import type { SuggestedInput, SuggestionPage } from '../../service/environments/rules.ts'
import type { FormState, Labels } from '../form.tsx'
import type { BuyerRequest, BuyerSession } from './buyer-request.tsx'

/** A request with a session. After the log-in it has an application. */
export type Visit = BuyerRequest & { session: BuyerSession; application: Application }

/** The content of its page. */
export type StepView<Field extends string = never> = Visit &
  FormState<Field> & { token: string; fills: SuggestedInput[] }

export interface Step<Field extends string = never> {
  /** Whether it belongs to the log-in, so that it needs no application and can be locked. */
  isLogIn?: boolean
  isOpen(request: BuyerRequest, application: Application | undefined): boolean
  page(view: StepView<Field>): unknown
  /** The fields of its form, in the order of the page. */
  labels?: Labels<Field>
  /** The fields that are never sent back to the browser, such as the number of a card, an account or a person. */
  forgets?: readonly Field[]
  fills?: SuggestionPage
  /** Changes the application, and returns the changes of the session. */
  submit?(visit: Visit): {
    problems?: Partial<Record<Field, string>>
    session?: Partial<BuyerSession>
    /** Appended to the address of the next page. */
    query?: string
  }
  /** Whether its form leads to the shop. */
  isLast?: boolean
}
