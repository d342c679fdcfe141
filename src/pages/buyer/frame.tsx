/** The frame of every checkout page (the order on one side, the form on the other), its script, and shared parts. */
import type { Child } from 'hono/jsx'
import type { SuggestedInput } from '../../service/environments/rules.ts'
import type { Cents } from '../../spec/contract/money.ts'
import { type Environment, NOTICES } from '../../spec/environments/environment.ts'
import type { Name } from '../../spec/environments/values.ts'
import { asset, assetFinder, pageAssets } from '../assets.ts'
import { MoneyText, Terms, type Tone } from '../blocks.tsx'
import { ErrorSummary, type Labels } from '../form.tsx'
import { Frame } from '../frame.tsx'
import { Icon, type IconName } from '../icons.tsx'
import scriptText from './browser/main.ts?text'

const checkoutScript = asset('checkout', 'js', 'text/javascript; charset=utf-8', scriptText)

export const findBuyerAsset = assetFinder([...pageAssets, checkoutScript])

export type Method = 'card' | 'bank_account'

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
  preselected?: Method | undefined
  /** Only in staging: links for a tester, and the applicant who is always approved. */
  testers: { dashboard: DashboardPages; approved: Name } | undefined
}

type StepName = 'log-in' | 'method' | 'application' | 'card' | 'bank' | 'review'

type CheckoutFrameProps = {
  order: Order
  title: string
  /** The step of this page, and the method once it is chosen. */
  step?: StepName | undefined
  method?: Method | undefined
  failed?: boolean
  leave?: { href: string; label: string } | undefined
  children?: Child
}

export function CheckoutFrame(props: CheckoutFrameProps) {
  const { order, title, step, method, failed = false, leave, children } = props
  return (
    <Frame title={`${failed ? 'Error: ' : ''}${title} · ${order.merchant}`} more={{ script: checkoutScript }}>
      <Strip environment={order.environment} />
      <div class="checkout">
        <OrderSummary order={order} step={step} leave={leave} />
        <main class="ask" id="main">
          <div>
            {step && <Progress order={order} step={step} method={method} />}
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

type StepFrameProps = Pick<CheckoutFrameProps, 'order' | 'title' | 'step' | 'method' | 'children'> & {
  problems?: Partial<Record<string, string>> | undefined
  labels?: Labels<string>
}

/** With the link back to the shop, and the form's errors above it. */
export function StepFrame({ problems, labels = {}, order, children, ...rest }: StepFrameProps) {
  const leave = { href: `${order.path}/cancel`, label: `Cancel and return to ${order.merchant}` }
  return (
    <CheckoutFrame order={order} failed={problems !== undefined} leave={leave} {...rest}>
      <ErrorSummary problems={problems} labels={labels} />
      {children}
    </CheckoutFrame>
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

/** After the first step it is one line on a phone, so that the form is visible without scrolling. */
function OrderSummary({ order, leave, step }: Pick<CheckoutFrameProps, 'order' | 'leave' | 'step'>) {
  return (
    <aside class={step && step !== 'log-in' ? 'order folded' : 'order'} aria-label="Your order">
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
          <span>{step ? `Pay ${order.merchant}` : order.merchant}</span>
        </p>
        <p class="total">
          <MoneyText amount={order.amount} currency={order.currency} />
        </p>
        <Terms
          look="facts"
          terms={[
            ['Order', order.orderId],
            ['Business', order.business],
          ]}
        />
      </div>
    </aside>
  )
}

function initial(merchant: string): string {
  return /[\p{L}\p{N}]/u.exec(merchant)?.[0].toUpperCase() ?? '#'
}

/** The pages of the third step, by method. Both methods have the same number, so the step count never changes. */
const DETAILS: Record<Method, { label: string; pages: StepName[] }> = {
  card: { label: 'Card', pages: ['card'] },
  bank_account: { label: 'Bank account', pages: ['application', 'bank'] },
}

type ProgressProps = { order: Order; step: StepName; method: Method | undefined }

/** Steps before the current one are done. They are links back, except the log-in. */
function Progress({ order: { path, preselected }, step, method = preselected }: ProgressProps) {
  const { label, pages } = method ? DETAILS[method] : { label: 'Details', pages: [] }
  const steps: { name: StepName | 'details'; label: string; href?: string | undefined }[] = [
    { name: 'log-in', label: 'Log in' },
    ...(preselected ? [] : [{ name: 'method', label: 'Method', href: `${path}/method` } as const]),
    { name: 'details', label, href: method && `${path}/${pages.at(-1)}` },
    { name: 'review', label: 'Review' },
  ]
  const page = pages.indexOf(step)
  const present = steps.findIndex(({ name }) => name === (page === -1 ? step : 'details'))
  const hasParts = pages.length > 1 && page !== -1
  return (
    <nav class="steps" aria-label="Progress">
      <p>
        Step {present + 1} of {steps.length}: {steps[present]?.label}
        {hasParts && `, part ${page + 1} of ${pages.length}`}
      </p>
      <ol>
        {steps.map(({ label, href }, index) => (
          <li
            data-state={index < present ? 'done' : undefined}
            aria-current={index === present ? 'step' : undefined}
          >
            {href && index < present ? (
              <a href={href}>{label}</a>
            ) : (
              <span>
                {label}
                {hasParts && index === present && ` (${page + 1}\u00a0of\u00a0${pages.length})`}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

type StagingProps = { order: Order; title?: string; fills?: SuggestedInput[]; children?: Child }

/** Help for testers. A suggestion is a link to the same page with the fields filled in, so it needs no script. */
export function Staging({ order, title = 'what to type here', fills = [], children }: StagingProps) {
  if (!order.testers) return null
  return (
    <section class="staging" aria-labelledby="staging">
      <h2 id="staging">
        <Icon name="test" size={16} />
        Staging: {title}
      </h2>
      {children}
      {fills.length > 0 && (
        <ul>
          {fills.map(({ id, label, outcome }) => (
            <li>
              <div>
                <code>{label}</code>
                <p>{outcome}</p>
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

export const OutboxLink = ({ order: { testers } }: { order: Order }) => (
  <a href={testers?.dashboard('outbox')}>outbox</a>
)

export function Back({ order }: { order: Order }) {
  if (order.preselected) return null
  return (
    <div class="row">
      <a href={`${order.path}/method`}>Pay another way</a>
    </div>
  )
}
