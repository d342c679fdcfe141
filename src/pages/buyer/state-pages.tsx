/** Pages without a step: the checkout is finished or canceled, the session has expired, or something failed. */
import type { Child } from 'hono/jsx'
import type { Environment } from '../../spec/environments/environment.ts'
import { Lead, type Tone } from '../blocks.tsx'
import { Frame } from '../frame.tsx'
import type { IconName } from '../icons.tsx'
import { CheckoutFrame, Emblem, type Order, Strip } from './frame.tsx'

interface StatePageProps {
  order: Order
  tone: Tone
  icon: IconName
  title: string
  children: Child
  /** The page that follows; its button leads to the shop unless it has another label. */
  next: string
  label?: string
}

export function StatePage({ order, tone, icon, title, children, next, label }: StatePageProps) {
  return (
    <CheckoutFrame order={order} title={title}>
      <Emblem tone={tone} icon={icon} />
      <Lead title={title} />
      <p>{children}</p>
      <a class="knob main wide" href={next}>
        {label ?? `Return to ${order.merchant}`}
      </a>
    </CheckoutFrame>
  )
}

interface PageAloneProps {
  environment: Environment
  title: string
  tone?: Tone
  icon?: IconName
  children?: Child
}

/** A page without an order. */
function PageAlone({ environment, title, tone = 'bad', icon = 'warning', children }: PageAloneProps) {
  return (
    <Frame title={title}>
      <Strip environment={environment} />
      <main class="alone" id="main">
        <Emblem tone={tone} icon={icon} />
        <Lead title={title}>{children}</Lead>
      </main>
    </Frame>
  )
}

interface AtAddress {
  environment: Environment
}

export const UnknownPage = (at: AtAddress) => (
  <PageAlone {...at} title="We cannot find this checkout" tone="plain" icon="question">
    The address may be incomplete, or the {at.environment} environment was reset since it was made. Nothing
    was charged. Go back to the shop and start the payment again.
  </PageAlone>
)

export const FailedPage = (at: AtAddress) => (
  <PageAlone {...at} title="Something went wrong on our side">
    Nothing was charged. Go back and try again; the log of the {at.environment} environment has the details.
  </PageAlone>
)

/** The disk is full and nothing was stored, so the same step works when there is room (D58). */
export const NotSavedPage = (at: AtAddress) => (
  <PageAlone {...at} title="Nothing can be saved now">
    Nothing was charged. The disk of the {at.environment} environment is full or fails; its log has the
    details. Go back and try again later.
  </PageAlone>
)

/** For a request that no browser sends by itself. */
export const RefusedPage = ({ message, ...at }: AtAddress & { message: string }) => (
  <PageAlone {...at} title="Request refused">
    Nothing was charged. {message}.
  </PageAlone>
)

export const TooLargePage = (at: AtAddress) => (
  <PageAlone {...at} title="Too much was sent">
    Nothing was charged. Go back and enter shorter texts.
  </PageAlone>
)
