/** The frame of every checkout page (the order on one side, the form on the other), and shared parts. */
import type { Child } from 'hono/jsx'
import type { SuggestedInput, SuggestionPage } from '../../service/environments/rules.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Name } from '../../spec/environments/values.ts'
import { MoneyText, Strip, Terms, type Tone } from '../blocks.tsx'
import { Frame } from '../frame.tsx'
import { Icon, type IconName } from '../icons.tsx'

/** The address of a page of the sandbox's dashboard. */
export type DashboardPages = (page: 'outbox' | 'behaviors' | '') => string

/** The page's view of a checkout. `path` is its address at this simulator, `merchant` the shop that the buyer came from. */
export type Order = {
  path: string
  environment: Environment
  merchant: string
  orderId: string
  /** The customer's name; without a name the platform's id of the customer. */
  business: string
  amount: Cents
  currency: string
  /** The method that the platform chose, which leaves the buyer no choice. */
  preselected: Checkout['paymentMethodType']
  /** Only in staging: links for a tester, and the applicant who is always approved. */
  testers: { dashboard: DashboardPages; approved: Name } | undefined
}

export type StepName = SuggestionPage | 'method' | 'declined' | 'review'

type FrameProps = {
  order: Order
  title: string
  step?: StepName
  isRefused?: boolean
  children?: Child
}

export function CheckoutFrame(props: FrameProps) {
  const { order, title, step, isRefused = false, children } = props
  return (
    <Frame title={`${isRefused ? 'Error: ' : ''}${title} · ${order.merchant}`}>
      <Strip environment={order.environment} />
      <div class="checkout">
        <OrderSummary order={order} isOpen={step !== undefined} />
        <main class="ask" id="main">
          <div>
            {step && <Progress order={order} step={step} />}
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

/** One line on a phone, so that the form is visible without scrolling. */
function OrderSummary({ order, isOpen }: { order: Order; isOpen: boolean }) {
  const { merchant } = order
  return (
    <aside class="order" aria-label="Your order">
      <div>
        {isOpen && (
          <a class="leave" href={`${order.path}/cancel`}>
            <Icon name="left" size={16} />
            <span>Cancel and return to {merchant}</span>
          </a>
        )}
        <p class="payee">
          <span class="mark" aria-hidden="true">
            {/[\p{L}\p{N}]/u.exec(merchant)?.[0].toUpperCase() ?? '#'}
          </span>
          <span>
            {isOpen && 'Pay '}
            {merchant}
          </span>
        </p>
        <p class="total">
          <MoneyText amount={order.amount} currency={order.currency} />
        </p>
        <Terms
          terms={[
            ['Order', order.orderId],
            ['Business', order.business],
          ]}
        />
      </div>
    </aside>
  )
}

/** The total is the same on every page, whichever method the buyer chooses. */
const PLACES: Readonly<Record<StepName, readonly [place: number, label: string]>> = {
  'log-in': [1, 'Log in'],
  code: [1, 'Log in'],
  method: [2, 'Method'],
  application: [3, 'Bank account, part 1 of 2'],
  declined: [3, 'Bank account, part 1 of 2'],
  bank: [3, 'Bank account, part 2 of 2'],
  card: [3, 'Card'],
  review: [4, 'Review'],
}

function Progress({ order, step }: { order: Order; step: StepName }) {
  const [place, label] = PLACES[step]
  const skipped = order.preselected ? 1 : 0
  const [present, total] = [place === 1 ? 1 : place - skipped, 4 - skipped]
  return (
    <label class="soft small">
      {`Step ${present} of ${total}: ${label}`}
      <progress value={present} max={total} />
    </label>
  )
}

type StagingProps = { order: Order; title?: string | undefined; fills?: SuggestedInput[]; children?: Child }

/** Help for testers. A suggestion is a link to the same page with the fields filled in, so it needs no script. */
export function Staging({ order, title = 'what to type here', fills = [], children }: StagingProps) {
  if (!order.testers) return null
  return (
    <section class="staging" aria-labelledby="staging">
      <h2 id="staging">Staging: {title}</h2>
      {children}
      {fills.length > 0 && (
        <ul>
          {fills.map(({ id, label, outcome }) => (
            <li>
              <div>
                <code>{label}</code>
                <p class="soft">{outcome}</p>
              </div>
              <a class="knob" href={`?fill=${id}#main`} aria-label={`Fill in ${label}`}>
                Fill in
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export function Emblem({ tone, icon }: { tone: Tone; icon: IconName }) {
  return (
    <div class={`emblem ${tone}`}>
      <Icon name={icon} size={28} />
    </div>
  )
}

export const Back = ({ order }: { order: Order }) =>
  !order.preselected && <a href={`${order.path}/method`}>Pay another way</a>
