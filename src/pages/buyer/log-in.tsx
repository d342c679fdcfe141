/** Logging in: the buyer enters where to send a code, and then the code. */
import { enterCode, openApplication, sendCode } from '../../service/buyer-flow/flow.ts'
import { Lead, Notice } from '../blocks.tsx'
import type { BuyerRequest } from './buyer-request.tsx'
import { CheckoutFrame, Emblem, Staging } from './frame.tsx'
import { fieldStep } from './step.ts'

const whereCodeIs = ({ order }: BuyerRequest) => (
  <p>
    The code is not sent. It is captured in the <a href={order.testers?.dashboard('outbox')}>outbox</a>.
  </p>
)

export const contact = fieldStep({
  fills: 'log-in',
  isLogIn: true,
  title: 'Log in to pay',
  about: () => 'We will send you a code to confirm your identity. You do not need a password.',
  labels: { contact: 'E-mail or phone number' },
  fields: [{ name: 'contact', autocomplete: 'email', inputmode: 'email', maxlength: 254 }],
  button: () => 'Send the code',
  help: whereCodeIs,
  isOpen: () => true,
  submit({ unit, checkout, session, typed }) {
    const { value, problems } = sendCode(unit, checkout, typed)
    if (problems) return { problems }
    const query = value.to === session.contact ? '?again=yes' : ''
    return { session: { contact: value.to, loggedIn: false }, query }
  },
})

export const code = fieldStep({
  fills: 'code',
  isLogIn: true,
  title: 'Enter the code',
  about: ({ session }) => (
    <>
      We sent a code to <b>{session.contact}</b>.
    </>
  ),
  labels: { code: 'Verification code' },
  forgets: ['code'],
  fields: [
    { name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 12, autofocus: true },
  ],
  button: () => 'Log in',
  good: ({ query }) => query.again && <Notice tone="good">A new code is on its way.</Notice>,
  below: ({ order, token, session }) => (
    <div class="row">
      <form method="post" action={`${order.path}/log-in`}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="contact" value={session.contact ?? ''} />
        <button class="knob bare" type="submit">
          Send a new code
        </button>
      </form>
      <a href={`${order.path}/log-in`}>Use another e-mail or phone</a>
    </div>
  ),
  help: whereCodeIs,
  isOpen: ({ session }) => Boolean(session?.contact && !session.loggedIn),
  submit({ unit, checkout, session, typed }) {
    const { problems } = enterCode(unit, checkout, openApplication(unit, checkout), session.contact!, typed)
    return problems ? { problems } : { session: { loggedIn: true } }
  },
})

const lockedUntil = ({ unit, checkout }: BuyerRequest) =>
  unit.store.applications.findByCheckout(checkout.id)?.lockedUntil ?? 0

/** While the log-in is locked, its pages show only that, to every visitor of this checkout. */
export const isLogInLocked = (request: BuyerRequest) => request.unit.now < lockedUntil(request)

export function lockedPage(request: BuyerRequest) {
  const { order, unit } = request
  const minutes = Math.ceil((lockedUntil(request) - unit.now) / 60_000)
  return (
    <CheckoutFrame order={order} step="log-in" title="Log-in is locked">
      <Emblem tone="wait" icon="lock" />
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
    </CheckoutFrame>
  )
}
