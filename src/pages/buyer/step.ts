/** A step of the hosted page: what its page says, and what its form does. steps.ts lists them, step-page.tsx shows them. */
import type { Child } from 'hono/jsx'
import type { Application } from '../../service/domain/application.ts'
import type { SuggestedInput, SuggestionPage } from '../../service/environments/rules.ts'
import type { FieldProps, FormState } from '../form.tsx'
import type { IconName } from '../icons.tsx'
import type { BuyerRequest, BuyerSession } from './buyer-request.tsx'

/** A request with a session. After the log-in it has an application. */
type Visit = BuyerRequest & { session: BuyerSession; application: Application }

/** The content of its page. */
export type StepView<Field extends string = never> = Visit &
  FormState<Field> & { token: string; fills: SuggestedInput[] }

export type Shape<Field extends string> = Omit<FieldProps, 'name' | 'label'> & { name: Field }

export interface Step<Field extends string = never> {
  title: string
  /** The question above the form; default: the title. */
  question?: string
  /** Above the question, for bad news. */
  emblem?: IconName
  about?(view: StepView<Field>): Child
  /** Above the form, until it has a mistake. */
  good?(view: StepView<Field>): Child
  /** The fields of its form, in the order of the page. */
  labels?: Readonly<Record<Field, string>>
  /** What the fields have besides their labels. Fields in one line are a list. */
  fields?: readonly (Shape<Field> | readonly Shape<Field>[])[]
  /** What the form has besides its fields. */
  form?(view: StepView<Field>): Child
  button(view: StepView<Field>): Child
  below?(view: StepView<Field>): Child
  /** For testers: the title of their part, and its text. */
  helpTitle?: string
  help?(view: StepView<Field>): Child
  fills?: SuggestionPage
  /** Whether it belongs to the log-in, so that it needs no application and can be locked. */
  isLogIn?: boolean
  isOpen(request: BuyerRequest, application: Application | undefined): boolean
  /** The fields that are never sent back to the browser, such as the number of a card, an account or a person. */
  forgets?: readonly Field[]
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

/** A step whose fields an environment suggests values for. */
export const fieldStep = <Field extends string>(step: Step<Field> & { fills: SuggestionPage }) => step
