/** Logging in: the buyer enters the code that was sent. */
import { enterCode, openApplication, sendCode } from '../../service/buyer-flow/flow.ts'
import { Lead, Notice } from '../blocks.tsx'
import { Field, Form, type FormState, fieldsOf, Submit } from '../form.tsx'
import {
  type BuyerReply,
  type BuyerRequest,
  filled,
  fillsOf,
  isPending,
  showState,
} from './buyer-request.tsx'
import { OutboxLink, Staging, StepFrame } from './frame.tsx'
import { lockOf, unlocked } from './log-in.tsx'

const LABELS = { code: 'Verification code' }

export function showCode(
  request: BuyerRequest,
  form: FormState<'code'> = filled(request, 'code'),
): BuyerReply {
  if (!isPending(request)) return showState(request)
  const { order, session, sessions, query } = request
  if (!session?.contact || session.loggedIn) return { to: order.path }
  const lock = lockOf(request)
  if (lock) return lock
  const { problems } = form
  const sentAgain = query.again !== undefined
  const token = sessions.formToken(session.id)
  const page = (
    <StepFrame
      order={order}
      step="log-in"
      title={sentAgain ? 'A new code is on its way' : 'Enter the code'}
      problems={problems}
      labels={LABELS}
    >
      <Lead title="Enter the code">
        We sent a code to <b>{session.contact}</b>.
      </Lead>
      {sentAgain && <Notice tone="good">A new code is on its way.</Notice>}
      <Form action={`${order.path}/code`} token={token}>
        <Field
          {...fieldsOf(form, LABELS)('code')}
          autocomplete="one-time-code"
          digits={12}
          look="code"
          autofocus={!problems}
        />
        <Submit>Log in</Submit>
      </Form>
      <div class="row">
        <form method="post" action={`${order.path}/code/again`}>
          <input type="hidden" name="token" value={token} />
          <button class="knob bare" type="submit">
            Send a new code
          </button>
        </form>
        <a href={`${order.path}/log-in`}>Use another e-mail or phone</a>
      </div>
      <Staging order={order} fills={fillsOf(request, 'code')}>
        <p>
          The code was not sent. It is captured in the <OutboxLink order={order} />.
        </p>
      </Staging>
    </StepFrame>
  )
  return { page, session, status: problems ? 400 : 200 }
}

export const submitCode = (request: BuyerRequest) =>
  unlocked(request, (session) => {
    const { unit, checkout, order, typed } = request
    if (session.contact === null) return { to: order.path }
    const application = openApplication(unit, checkout)
    const entered = enterCode(unit, checkout, application, session.contact, typed)
    if (entered.problems) return showCode(request, { problems: entered.problems })
    return { to: order.path, session: { ...session, loggedIn: true } }
  })

export const sendNewCode = (request: BuyerRequest) =>
  unlocked(request, (session) => {
    const { unit, checkout, order } = request
    sendCode(unit, checkout, { contact: session.contact ?? '' })
    return { to: `${order.path}/code?again=yes`, session }
  })
