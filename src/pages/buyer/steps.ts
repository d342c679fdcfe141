/** The steps of the hosted page, and their common behavior: a page is shown if its step is open, and its form leads to the next. */
import type { FormInput } from '../../service/buyer-flow/flow.ts'
import type { ApplicationStatus } from '../../service/domain/application.ts'
import type { FormState } from '../form.tsx'
import {
  applicationOf,
  type BuyerReply,
  type BuyerRequest,
  expired,
  guarded,
  isPending,
  showState,
} from './buyer-request.tsx'
import { declined } from './declined.tsx'
import { application, bank, card } from './field-steps.tsx'
import type { StepName } from './frame.tsx'
import { code, contact, isLogInLocked, lockedPage } from './log-in.tsx'
import { method } from './method.tsx'
import { review } from './review.tsx'
import type { Step } from './step.ts'
import { StepPage } from './step-page.tsx'

const STEPS = { 'log-in': contact, code, method, application, declined, card, bank, review }

const NEXT: Readonly<Record<ApplicationStatus, StepName>> = {
  logging_in: 'log-in',
  choosing_method: 'method',
  entering_card: 'card',
  applying: 'application',
  declined: 'declined',
  entering_bank: 'bank',
  reviewing: 'review',
  accepted: 'review',
}

/** The step at which a buyer continues. */
export function stepOf(request: BuyerRequest): StepName {
  const application = applicationOf(request)
  if (application) return NEXT[application.status]
  return request.session?.contact && !request.session.loggedIn ? 'code' : 'log-in'
}

const fillsOf = ({ checkout, unit }: BuyerRequest, { fills }: Step<string>) =>
  fills ? unit.services.rules.suggestions(fills, checkout.amount) : []

const stepNamed = (name: string): Step<string> | undefined =>
  Object.hasOwn(STEPS, name) ? STEPS[name as StepName] : undefined

export function showStep(request: BuyerRequest, name: string): BuyerReply {
  if (!isPending(request)) return showState(request)
  const step = stepNamed(name)
  if (!step?.isOpen(request, applicationOf(request))) return { to: request.order.path }
  // A suggested test value is a link to the page with its fields filled in.
  const fill = fillsOf(request, step).find(({ id }) => id === request.query.fill)
  return show(request, name, step, { values: fill?.fields })
}

/**
 * The Content-Security-Policy of the last form allows every target: it redirects to the shop, which may
 * redirect to any other site. Paysim's own redirect does not depend on what the page sent.
 */
const SHOP = ['http:', 'https:']

function show(request: BuyerRequest, name: string, step: Step<string>, form: FormState<string>): BuyerReply {
  if (step.isLogIn && isLogInLocked(request)) return { page: lockedPage(request), status: 429 }
  const { sessions, unit, checkout } = request
  const session = request.session ?? {
    id: unit.id('session'),
    checkoutId: checkout.id,
    contact: null,
    loggedIn: false,
    at: unit.now,
  }
  const view = {
    ...request,
    ...form,
    session,
    application: applicationOf(request)!,
    token: sessions.formToken(session.id),
    fills: fillsOf(request, step),
  }
  const page = StepPage({ name: name as StepName, step, view })
  return { page, session, status: form.problems ? 400 : 200, ...(step.isLast && { formTargets: SHOP }) }
}

export const submitStep = (request: BuyerRequest, name: string) =>
  guarded(request, (session) => {
    const step = stepNamed(name)
    const { order, typed } = request
    const application = applicationOf(request)
    if (!step?.submit) return { to: order.path }
    if (step.isLogIn) {
      if (isLogInLocked(request) || !step.isOpen(request, application)) return { to: order.path }
    } else if (!application) return expired(request)
    const done = step.submit({ ...request, session, application: application! })
    if (done.problems) return show(request, name, step, refusedForm(step, typed, done.problems))
    const next = { ...session, ...done.session }
    const to = `${order.path}/${stepOf({ ...request, session: next })}${done.query ?? ''}`
    return { to, session: next }
  })

const TYPE_AGAIN = 'Type this again. It was not stored.'

function refusedForm(
  { labels = {}, forgets = [] }: Step<string>,
  typed: FormInput,
  problems: Partial<FormInput>,
): FormState<string> {
  const names = Object.keys(labels)
  const typeAgain = Object.fromEntries(forgets.map((name) => [name, TYPE_AGAIN]))
  return {
    values: pick(
      typed,
      names.filter((name) => !forgets.includes(name)),
    ),
    problems: pick({ ...typeAgain, ...problems }, names),
  }
}

const pick = (texts: Partial<FormInput>, names: readonly string[]): FormInput =>
  Object.fromEntries(names.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])))
