/** Pages without a step: the checkout is finished or canceled, the session has expired, or something failed. */
import type { Child } from 'hono/jsx'
import type { Environment } from '../../spec/environments/environment.ts'
import { Lead, type Tone } from '../blocks.tsx'
import { Frame } from '../frame.tsx'
import type { IconName } from '../icons.tsx'
import { CheckoutFrame, Emblem, type Order, Strip } from './frame.tsx'

interface AtAddress {
  environment: Environment
}

export function ApprovedPage({ order, successUrl }: { order: Order; successUrl: string }) {
  return (
    <StatePage order={order} tone="good" icon="check" title="You have already approved this payment">
      <p>There is nothing left to do here. {order.merchant} completes the payment.</p>
      <Return order={order} href={successUrl} />
    </StatePage>
  )
}

export function ConfirmedPage({ order, successUrl }: { order: Order; successUrl: string }) {
  return (
    <StatePage order={order} tone="good" icon="check" title="This order is paid">
      <p>The payment is complete. Thank you.</p>
      <Return order={order} href={successUrl} />
    </StatePage>
  )
}

export function CanceledPage({ order }: { order: Order }) {
  return (
    <StatePage order={order} tone="plain" icon="cross" title="This checkout was canceled">
      <p>Nothing was charged. To buy after all, start again at {order.merchant}.</p>
      <Return order={order} href={`${order.path}/cancel`} />
    </StatePage>
  )
}

/** The session has expired or belongs to another checkout. The order is not changed. */
export function ExpiredPage({ order }: { order: Order }) {
  return (
    <StatePage order={order} tone="warn" icon="clock" title="Please log in again">
      <p>You were away for a while, so we logged you out. Your order is kept, and nothing was charged.</p>
      <a class="button wide" href={`${order.path}/log-in`}>
        Log in
      </a>
    </StatePage>
  )
}

export function UnknownPage({ environment }: AtAddress) {
  return (
    <PageAlone environment={environment} title="Checkout not found" tone="plain" icon="question">
      <Lead title="We cannot find this checkout">
        The address may be incomplete, or the {environment} environment was reset since it was made.
      </Lead>
      <p>Nothing was charged. Go back to the shop and start the payment again.</p>
    </PageAlone>
  )
}

export function FailedPage({ environment }: AtAddress) {
  return (
    <PageAlone environment={environment} title="Something went wrong">
      <Lead title="Something went wrong on our side">
        Nothing was charged. Go back and try again; the log of the {environment} environment has the details.
      </Lead>
    </PageAlone>
  )
}

/** The disk is full and nothing was stored, so the same step works when there is room (D58). */
export function NotSavedPage({ environment }: AtAddress) {
  return (
    <PageAlone environment={environment} title="Nothing can be saved now">
      <Lead title="Nothing can be saved now">
        Nothing was charged. The disk of the {environment} environment is full or fails; its log has the
        details. Go back and try again later.
      </Lead>
    </PageAlone>
  )
}

/** For a request that no browser sends by itself. */
export function RefusedPage({ environment, message }: AtAddress & { message: string }) {
  return (
    <PageAlone environment={environment} title="Request refused">
      <Lead title="Request refused">Nothing was charged. {message}.</Lead>
    </PageAlone>
  )
}

export function TooLargePage({ environment }: AtAddress) {
  return (
    <PageAlone environment={environment} title="Too much was sent">
      <Lead title="Too much was sent">Nothing was charged. Go back and enter shorter texts.</Lead>
    </PageAlone>
  )
}

type PageAloneProps = AtAddress & { title: string; tone?: Tone; icon?: IconName; children?: Child }

/** A page without an order. */
function PageAlone({ environment, title, tone = 'bad', icon = 'warning', children }: PageAloneProps) {
  return (
    <Frame title={title}>
      <Strip environment={environment} />
      <main class="alone" id="main">
        <Emblem tone={tone} icon={icon} />
        {children}
      </main>
    </Frame>
  )
}

type StatePageProps = { order: Order; tone: Tone; icon: IconName; title: string; children?: Child }

function StatePage({ order, tone, icon, title, children }: StatePageProps) {
  return (
    <CheckoutFrame order={order} title={title}>
      <Emblem tone={tone} icon={icon} />
      <Lead title={title} />
      {children}
    </CheckoutFrame>
  )
}

function Return({ order, href }: { order: Order; href: string }) {
  return (
    <a class="button wide" href={href}>
      Return to {order.merchant}
    </a>
  )
}
