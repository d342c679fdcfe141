/** The frame of every checkout page: the order on one side, the form on the other. */
import type { Child } from 'hono/jsx'
import type { Cents } from '../contract/money.ts'
import { type Environment, NOTICES } from '../environments/environment.ts'
import type { SuggestedInput } from '../environments/rules.ts'
import { Facts, MoneyText, Progress, type ProgressStep } from '../pages/blocks.tsx'
import { Frame } from '../pages/frame.tsx'
import { Icon } from '../pages/icons.tsx'

export type Method = 'card' | 'bank_account'

/** What the pages show of a checkout. `path` is its address here, `merchant` the shop that the buyer came from. */
export type Order = {
  path: string
  environment: Environment
  merchant: string
  orderId: string
  externalId: string
  amount: Cents
  /** The method that the platform chose; then the buyer has no choice. */
  preselected?: Method | undefined
}

export type StepName = 'log-in' | 'method' | 'application' | 'card' | 'bank' | 'review'

export type CheckoutFrameProps = {
  order: Order
  title: string
  /** The step of this page. The method, once chosen, decides which steps follow. */
  step?: StepName
  method?: Method | undefined
  failed?: boolean
  leave?: { href: string; label: string } | undefined
  children?: Child
}

export function CheckoutFrame(props: CheckoutFrameProps) {
  const { order, title, step, method, failed = false, leave, children } = props
  return (
    <Frame title={`${failed ? 'Error: ' : ''}${title} · ${order.merchant}`}>
      <Strip environment={order.environment} />
      <div class="checkout">
        <OrderSummary order={order} open={step !== undefined} leave={leave} />
        <main class="ask" id="main">
          <div>
            {step && <Progress {...progress(order, step, method)} />}
            {children}
            <p class="foot">
              <Icon name="lock" size={16} />
              <span>
                Card, account and ID numbers are checked and forgotten. Only their last four digits are kept.
              </span>
            </p>
          </div>
        </main>
      </div>
    </Frame>
  )
}

export function Strip({ environment }: { environment: Environment }) {
  const { look, title, text } = NOTICES[environment]
  return (
    <header class={look}>
      <b>{title}</b> {text}
    </header>
  )
}

type OrderSummaryProps = Pick<CheckoutFrameProps, 'order' | 'leave'> & { open: boolean }

function OrderSummary({ order, leave, open }: OrderSummaryProps) {
  return (
    <aside class="order" aria-label="Your order">
      <div>
        {leave && (
          <a class="leave" href={leave.href}>
            <Icon name="left" size={16} />
            <span>{leave.label}</span>
          </a>
        )}
        <p class="payee">
          <span class="mark" aria-hidden="true">
            {initial(order.merchant)}
          </span>
          <span>{open ? `Pay ${order.merchant}` : order.merchant}</span>
        </p>
        <p class="total">
          <MoneyText amount={order.amount} />
        </p>
        <Facts
          facts={[
            { term: 'Order', detail: order.orderId },
            { term: 'Business', detail: order.externalId },
          ]}
        />
      </div>
    </aside>
  )
}

function initial(merchant: string): string {
  return /[\p{L}\p{N}]/u.exec(merchant)?.[0].toUpperCase() ?? '#'
}

const LABELS: Record<StepName, string> = {
  'log-in': 'Log in',
  method: 'Method',
  application: 'Application',
  card: 'Card',
  bank: 'Bank',
  review: 'Review',
}

/** Earlier steps are links, except the log-in, which is done, and the application, which was decided. */
function progress({ path, preselected }: Order, step: StepName, chosen: Method | undefined) {
  const method = preselected ?? chosen
  const names: (StepName | 'details')[] = [
    'log-in',
    ...(preselected ? [] : (['method'] as const)),
    ...(method === 'card' ? (['card'] as const) : []),
    ...(method === 'bank_account' ? (['application', 'bank'] as const) : []),
    ...(method === undefined ? (['details'] as const) : []),
    'review',
  ]
  const steps: ProgressStep[] = names.map((name) => {
    if (name === 'details') return { label: 'Details' }
    return {
      label: LABELS[name],
      href: name === 'log-in' || name === 'application' ? undefined : `${path}/${name}`,
    }
  })
  return { steps, present: names.indexOf(step) }
}

/** A suggestion is a link to the same page with the fields filled in, so it needs no script. Production has none. */
export function Staging({ fills, children }: { fills: SuggestedInput[]; children?: Child }) {
  if (fills.length === 0) return null
  return (
    <aside class="staging" aria-label="Staging">
      <h2>
        <Icon name="test" size={16} />
        Staging: what to type here
      </h2>
      {children}
      <ul>
        {fills.map(({ id, label, outcome }) => (
          <li>
            <div>
              <code>{label}</code>
              <p>{outcome}</p>
            </div>
            <a class="fill" href={`?fill=${id}#main`} aria-label={`Fill in ${label}`}>
              Fill in
            </a>
          </li>
        ))}
      </ul>
    </aside>
  )
}
