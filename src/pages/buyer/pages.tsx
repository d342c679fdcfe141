/** The pages of the steps, in the buyer's order. */
import type { Child } from 'hono/jsx'
import type { CreditDecision } from '../../service/domain/application.ts'
import type { SuggestedInput } from '../../service/environments/rules.ts'
import { cents, moneyText } from '../../spec/contract/money.ts'
import { Lead, MoneyText, Notice, type Term, Terms, type Tone } from '../blocks.tsx'
import {
  ErrorSummary,
  Field,
  Form,
  type FormState,
  fieldsOf,
  type Labels,
  Problem,
  Submit,
} from '../form.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { CheckoutFrame, type CheckoutFrameProps, type Method, type Order, Staging } from './frame.tsx'

type PageProps<FieldName extends string = never> = FormState<FieldName> & {
  order: Order
  token: string
  fills?: SuggestedInput[]
}

const LOG_IN_LABELS = { contact: 'E-mail or phone number' }

export function LogInPage(props: PageProps<'contact'>) {
  const { order, token, fills = [], problems } = props
  const field = fieldsOf(props, LOG_IN_LABELS)
  return (
    <StepFrame order={order} step="log-in" title="Log in to pay" problems={problems} labels={LOG_IN_LABELS}>
      <Lead title="Log in to pay">We send a code to make sure that it is you. There is no password.</Lead>
      <Form action={`${order.path}/log-in`} token={token}>
        <Field {...field('contact')} autocomplete="email" inputmode="email" maxlength={254} />
        <Submit>Send the code</Submit>
      </Form>
      <Staging order={order} fills={fills}>
        <p>
          The code is not sent. It is captured in the <OutboxLink order={order} />.
        </p>
      </Staging>
    </StepFrame>
  )
}

const CODE_LABELS = { code: 'Verification code' }

export function CodePage(props: PageProps<'code'> & { contact: string; sentAgain?: boolean }) {
  const { order, token, fills = [], problems, contact, sentAgain = false } = props
  const field = fieldsOf(props, CODE_LABELS)
  return (
    <StepFrame
      order={order}
      step="log-in"
      title={sentAgain ? 'A new code is on its way' : 'Enter the code'}
      problems={problems}
      labels={CODE_LABELS}
    >
      <Lead title="Enter the code">
        We sent a code to <b>{contact}</b>.
      </Lead>
      {sentAgain && <Notice tone="good">A new code is on its way.</Notice>}
      <Form action={`${order.path}/code`} token={token}>
        <Field
          {...field('code')}
          autocomplete="one-time-code"
          digits={12}
          look="code"
          autofocus={!problems}
        />
        <Submit>Log in</Submit>
      </Form>
      <div class="row">
        <ActionLink action={`${order.path}/code/again`} token={token}>
          Send a new code
        </ActionLink>
        <a href={`${order.path}/log-in`}>Use another e-mail or phone</a>
      </div>
      <Staging order={order} fills={fills}>
        <p>
          The code was not sent. It is captured in the <OutboxLink order={order} />.
        </p>
      </Staging>
    </StepFrame>
  )
}

const METHOD_LABELS = { method: 'Payment method' }

const METHODS = [
  { value: 'card', label: 'Card', hint: 'Credit or debit. No application.', icon: 'card' },
  {
    value: 'bank_account',
    label: 'Bank account',
    hint: 'On your business’s credit. A short application, decided at once.',
    icon: 'bank',
  },
] as const

export function MethodPage({ order, token, values, problems }: PageProps<'method'>) {
  const problem = problems?.method
  return (
    <StepFrame
      order={order}
      step="method"
      title="Choose how to pay"
      problems={problems}
      labels={METHOD_LABELS}
    >
      <Lead title="How would you like to pay?" />
      <Form action={`${order.path}/method`} token={token}>
        <fieldset class="field" aria-describedby={problem && 'method-problem'}>
          <legend class="hidden-text">How would you like to pay?</legend>
          <div class="choices">
            {METHODS.map(({ value, label, hint, icon }, index) => (
              <label class="choice">
                <input
                  type="radio"
                  id={index === 0 ? 'method' : undefined}
                  name="method"
                  value={value}
                  checked={value === values?.method}
                  required
                />
                <span>
                  <b>{label}</b>
                  <small class="soft small">{hint}</small>
                </span>
                <Icon name={icon} size={28} />
              </label>
            ))}
          </div>
          {problem && <Problem of="method">{problem}</Problem>}
        </fieldset>
        <Submit>Continue</Submit>
      </Form>
    </StepFrame>
  )
}

const CARD_LABELS = { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' }

export function CardPage(props: PageProps<'number' | 'expiry' | 'cvc'>) {
  const { order, token, fills = [], problems } = props
  const field = fieldsOf(props, CARD_LABELS)
  return (
    <StepFrame
      order={order}
      step="card"
      method="card"
      title="Card details"
      problems={problems}
      labels={CARD_LABELS}
    >
      <Lead title="Card details" />
      <Form action={`${order.path}/card`} token={token} keeps>
        <Field {...field('number')} icon="card" named autocomplete="cc-number" digits={30} />
        <div class="pair">
          <Field {...field('expiry')} hint="Month / year" autocomplete="cc-exp" digits={10} />
          <Field {...field('cvc')} hint="3 or 4 digits" autocomplete="cc-csc" digits={4} />
        </div>
        <Submit>Continue to review</Submit>
      </Form>
      <Back order={order} />
      <Staging order={order} fills={fills} />
    </StepFrame>
  )
}

const APPLICATION_LABELS = {
  first: 'First name',
  last: 'Last name',
  business: 'Business name',
  nationalId: 'National ID',
}

export function ApplicationPage(props: PageProps<'first' | 'last' | 'business' | 'nationalId'>) {
  const { order, token, fills = [], problems } = props
  const field = fieldsOf(props, APPLICATION_LABELS)
  return (
    <StepFrame
      order={order}
      step="application"
      method="bank_account"
      title="Application"
      problems={problems}
      labels={APPLICATION_LABELS}
    >
      <Lead title="Tell us who is buying">The decision is made at once, and applying costs nothing.</Lead>
      <Form action={`${order.path}/application`} token={token} keeps>
        <div class="pair">
          <Field {...field('first')} autocomplete="given-name" maxlength={100} />
          <Field {...field('last')} autocomplete="family-name" maxlength={100} />
        </div>
        <Field {...field('business')} autocomplete="organization" maxlength={200} />
        <Field {...field('nationalId')} hint="Nine digits. We keep the last four." digits={20} />
        <Submit>Apply</Submit>
      </Form>
      <Back order={order} />
      <Staging order={order} fills={fills} />
    </StepFrame>
  )
}

const BANK_LABELS = { routing: 'Routing number', account: 'Account number' }

export function BankPage(props: PageProps<'routing' | 'account'> & { decision: CreditDecision }) {
  const { order, token, fills = [], problems, decision } = props
  const field = fieldsOf(props, BANK_LABELS)
  return (
    <StepFrame
      order={order}
      step="bank"
      method="bank_account"
      title="Bank account"
      problems={problems}
      labels={BANK_LABELS}
    >
      <Lead title="Your bank account">The payment is taken from this account.</Lead>
      {!problems && (
        <Notice tone="good">
          <b>You are approved.</b> You can pay the{' '}
          <MoneyText amount={order.amount} currency={order.currency} /> from your bank account.
        </Notice>
      )}
      <Form action={`${order.path}/bank`} token={token} keeps>
        <Field {...field('routing')} hint="Nine digits, at the bottom left of a check." digits={20} />
        <Field {...field('account')} hint="4 to 17 digits." digits={30} />
        <Submit>Continue to review</Submit>
      </Form>
      <Back order={order} />
      <Staging order={order} fills={fills}>
        <p>Why you are approved: {decision.explanation}</p>
      </Staging>
    </StepFrame>
  )
}

export type ReviewPageProps = {
  order: Order
  token: string
  method: Method
  /** The card or account, as it is kept: “Visa ending in 4242”. */
  paidWith: string
  contact: string
  business?: string | undefined
}

export function ReviewPage({ order, token, method, paidWith, contact, business }: ReviewPageProps) {
  const step = method === 'card' ? 'card' : 'bank'
  const total = (
    <b>
      <MoneyText amount={order.amount} currency={order.currency} />
    </b>
  )
  const facts: Term[] = [
    ['Order', order.orderId],
    ['Pay with', <Changeable value={paidWith} href={`${order.path}/${step}`} />],
    ...(business === undefined ? [] : [['Business', business] as const]),
    ['Contact', contact],
    ['Total', total],
  ]
  return (
    <StepFrame order={order} step="review" method={method} title="Review and pay">
      <Lead title="Review and pay" />
      <div class="card">
        <Terms look="facts" terms={facts} />
      </div>
      <Form action={`${order.path}/review`} token={token}>
        <p class="soft small">
          By accepting you allow {order.merchant} to charge{' '}
          <MoneyText amount={order.amount} currency={order.currency} /> once for this order. You then return
          to {order.merchant}.
        </p>
        <Submit>
          <Icon name="lock" />
          <span>
            Accept and pay <MoneyText amount={order.amount} currency={order.currency} />
          </span>
        </Submit>
      </Form>
    </StepFrame>
  )
}

type DeclinedPageProps = { order: Order; token: string; decision: CreditDecision }

export function DeclinedPage({ order, token, decision }: DeclinedPageProps) {
  return (
    <StepFrame order={order} step="application" method="bank_account" title="Not approved">
      <Emblem tone="bad" icon="cross" />
      <Lead title="We cannot offer you credit for this order">{whyDeclined(decision, order)}</Lead>
      <p>Nothing was charged. You can still pay by card, without an application.</p>
      <Form action={`${order.path}/method`} token={token}>
        <input type="hidden" name="method" value="card" />
        <Submit>Pay by card instead</Submit>
      </Form>
      <a class="button quiet wide" href={`${order.path}/cancel`}>
        Return to {order.merchant}
      </a>
      <Staging order={order} title="how to be approved">
        <WayToApproval order={order} decision={decision} />
      </Staging>
    </StepFrame>
  )
}

/** The reason in words for a buyer, without scores. */
function whyDeclined({ limit, explanation }: CreditDecision, { amount, currency }: Order): string {
  if (limit === null) return explanation
  return limit === 0
    ? 'We checked your application, and cannot give you credit now.'
    : `We can give you credit for up to ${moneyText(cents(limit), currency)}, and this order is ${moneyText(amount, currency)}.`
}

/** A link to log in with another contact: that is another buyer, so the application starts again. */
function WayToApproval({ order, decision: { reason, explanation } }: Omit<DeclinedPageProps, 'token'>) {
  if (!order.testers) return null
  const { dashboard, approved } = order.testers
  if (reason === 'declined by the bank') {
    return (
      <p>
        A <a href={dashboard('behaviors')}>behavior</a> or a test declined it, not the details that you typed.
        Disarm it, and start a new checkout.
      </p>
    )
  }
  return (
    <>
      <p>Why it was declined: {explanation}</p>
      <p>
        A buyer applies once for an order. <a href={`${order.path}/log-in`}>Log in</a> with another e-mail or
        phone number, and apply as{' '}
        <b>
          {approved.firstName} {approved.lastName}
        </b>
        .
      </p>
    </>
  )
}

export function LockedPage({ order, minutes }: { order: Order; minutes: number }) {
  return (
    <StepFrame order={order} step="log-in" title="Log-in is locked">
      <Emblem tone="warn" icon="lock" />
      <Lead title="Too many wrong codes">
        For your safety, logging in is locked for {minutes === 1 ? 'one minute' : `${minutes} minutes`}.
      </Lead>
      <p>Your order is kept, and nothing was charged. Reload this page when the time is over.</p>
      <Staging order={order} title="how to go on at once">
        <p>
          The lock ends by the sandbox’s clock. Advance it in the{' '}
          <a href={order.testers?.dashboard('')}>dashboard</a>, or in a test with{' '}
          <code>clock.advance('{minutes}m')</code>, and reload this page.
        </p>
      </Staging>
    </StepFrame>
  )
}

// Parts of these pages

type StepFrameProps = Pick<CheckoutFrameProps, 'order' | 'title' | 'step' | 'method' | 'children'> & {
  problems?: Partial<Record<string, string>> | undefined
  labels?: Labels<string>
}

function StepFrame({ problems, labels = {}, order, children, ...rest }: StepFrameProps) {
  const leave = { href: `${order.path}/cancel`, label: `Cancel and return to ${order.merchant}` }
  return (
    <CheckoutFrame order={order} failed={problems !== undefined} leave={leave} {...rest}>
      <ErrorSummary problems={problems} labels={labels} />
      {children}
    </CheckoutFrame>
  )
}

export function Emblem({ tone, icon }: { tone: Tone; icon: IconName }) {
  return (
    <div class={`emblem ${tone}`}>
      <Icon name={icon} size={28} />
    </div>
  )
}

const OutboxLink = ({ order: { testers } }: { order: Order }) => (
  <a href={testers?.dashboard('outbox')}>outbox</a>
)

function Back({ order }: { order: Order }) {
  if (order.preselected) return null
  return (
    <div class="row">
      <a href={`${order.path}/method`}>Pay another way</a>
    </div>
  )
}

function ActionLink({ action, token, children }: { action: string; token: string; children?: Child }) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <button class="link" type="submit">
        {children}
      </button>
    </form>
  )
}

function Changeable({ value, href }: { value: string; href: string }) {
  return (
    <>
      {value} <a href={href}>Change</a>
    </>
  )
}
