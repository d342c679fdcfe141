/**
 * The steps after the log-in, and their common behavior: a step's page is shown if it is open, and its form leads to the next.
 */
import type { FormInput } from '../../service/buyer-flow/flow.ts'
import type { Application, ApplicationStatus } from '../../service/domain/application.ts'
import type { FormState } from '../form.tsx'
import {
  applicationOf,
  type BuyerReply,
  type BuyerRequest,
  expired,
  filled,
  fillsOf,
  guarded,
  isPending,
  showState,
} from './buyer-request.tsx'
import { declined } from './declined.tsx'
import { application, bank, card } from './field-steps.tsx'
import { method } from './method.tsx'
import { review } from './review.tsx'
import type { BuyerSession } from './session.ts'
import type { Step } from './step.ts'

const STEPS = { method, application, declined, card, bank, review }

type StepName = keyof typeof STEPS

/** The step at which a returning buyer continues. */
const NEXT: Readonly<Record<ApplicationStatus, StepName | undefined>> = {
  logging_in: undefined,
  choosing_method: 'method',
  entering_card: 'card',
  applying: 'application',
  declined: 'declined',
  entering_bank: 'bank',
  reviewing: 'review',
  accepted: undefined,
}

export const nextStep = ({ status }: Application) => NEXT[status]

const stepNamed = (name: string): Step<string> | undefined =>
  Object.hasOwn(STEPS, name) ? STEPS[name as StepName] : undefined

export function showStep(request: BuyerRequest, name: string): BuyerReply {
  if (!isPending(request)) return showState(request)
  const { order, session } = request
  const application = applicationOf(request)
  const step = stepNamed(name)
  if (!session || !application || !step?.isOpen(application, order)) return { to: order.path }
  return show(request, session, application, step, step.fills ? filled(request, step.fills) : {})
}

/**
 * The Content-Security-Policy of the last form allows every target: it redirects to the shop, which may
 * redirect to any other site. Paysim's own redirect does not depend on what the page sent.
 */
const SHOP = ['http:', 'https:']

function show(
  request: BuyerRequest,
  session: BuyerSession,
  application: Application,
  step: Step<string>,
  form: FormState<string>,
): BuyerReply {
  const { order, sessions } = request
  const fills = step.fills ? fillsOf(request, step.fills) : []
  return {
    page: step.page({ ...form, order, token: sessions.formToken(session.id), application, fills }),
    session,
    status: form.problems ? 400 : 200,
    ...(step.isLast && { formTargets: SHOP }),
  }
}

export const submitStep = (request: BuyerRequest, name: string) =>
  guarded(request, (session) => {
    const application = applicationOf(request)
    if (!application) return expired(request)
    const step = stepNamed(name)
    const { unit, checkout, order, typed } = request
    if (!step?.submit) return { to: order.path }
    const done = step.submit(unit, checkout, application, typed)
    if (!done.problems) return { to: `${order.path}/${nextStep(done.value)}`, session }
    return show(request, session, application, step, refusedForm(step, typed, done.problems))
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
