/** Logging in: the buyer enters where to send the code. */
import { openApplication, sendCode } from '../../service/buyer-flow/flow.ts'
import { Lead } from '../blocks.tsx'
import { Field, Form, type FormState, fieldsOf, Submit } from '../form.tsx'
import {
  type BuyerReply,
  type BuyerRequest,
  filled,
  fillsOf,
  guarded,
  isPending,
  showState,
} from './buyer-request.tsx'
import { Emblem, OutboxLink, Staging, StepFrame } from './frame.tsx'
import type { BuyerSession } from './session.ts'

const LABELS = { contact: 'E-mail or phone number' }

export function showLogIn(
  request: BuyerRequest,
  form: FormState<'contact'> = filled(request, 'log-in'),
): BuyerReply {
  if (!isPending(request)) return showState(request)
  const { order, sessions, checkout, unit } = request
  const lock = lockOf(request)
  if (lock) return lock
  const session = request.session ?? {
    id: unit.id('session'),
    checkoutId: checkout.id,
    contact: null,
    loggedIn: false,
    at: unit.now,
  }
  const { problems } = form
  const page = (
    <StepFrame order={order} step="log-in" title="Log in to pay" problems={problems} labels={LABELS}>
      <Lead title="Log in to pay">We send a code to make sure that it is you. There is no password.</Lead>
      <Form action={`${order.path}/log-in`} token={sessions.formToken(session.id)}>
        <Field
          {...fieldsOf(form, LABELS)('contact')}
          autocomplete="email"
          inputmode="email"
          maxlength={254}
        />
        <Submit>Send the code</Submit>
      </Form>
      <Staging order={order} fills={fillsOf(request, 'log-in')}>
        <p>
          The code is not sent. It is captured in the <OutboxLink order={order} />.
        </p>
      </Staging>
    </StepFrame>
  )
  return { page, session, status: problems ? 400 : 200 }
}

export const submitContact = (request: BuyerRequest) =>
  unlocked(request, (session) => {
    const { unit, checkout, order, typed } = request
    openApplication(unit, checkout)
    const sent = sendCode(unit, checkout, typed)
    if (sent.problems) return showLogIn(request, { values: typed, problems: sent.problems })
    return { to: `${order.path}/code`, session: { ...session, contact: sent.value.to, loggedIn: false } }
  })

/** A log-in form is accepted only while the log-in is not locked. */
export const unlocked = (request: BuyerRequest, submit: (session: BuyerSession) => BuyerReply) =>
  guarded(request, (session) => (lockOf(request) ? { to: request.order.path } : submit(session)))

/** While the log-in is locked, its pages show only that, to every visitor of this checkout. */
export function lockOf({ order, unit, checkout }: BuyerRequest): BuyerReply | undefined {
  const { lockedUntil = null } = unit.store.applications.findByCheckout(checkout.id) ?? {}
  if (lockedUntil === null || unit.now >= lockedUntil) return undefined
  const minutes = Math.ceil((lockedUntil - unit.now) / 60_000)
  const page = (
    <StepFrame order={order} step="log-in" title="Log-in is locked">
      <Emblem tone="warn" icon="lock" />
      <Lead title="Too many wrong codes">
        For your safety, logging in is locked for {minutes === 1 ? 'one minute' : `${minutes} minutes`}.
      </Lead>
      <p>Your order is kept, and nothing was charged. Reload this page when the time is over.</p>
      <Staging order={order} title="how to continue now">
        <p>
          The lock ends by the sandbox’s clock. Advance it in the{' '}
          <a href={order.testers?.dashboard('')}>dashboard</a>, or in a test with{' '}
          <code>clock.advance('{minutes}m')</code>, and reload this page.
        </p>
      </Staging>
    </StepFrame>
  )
  return { page, status: 429 }
}
