/** Pages without a step: the checkout is finished or canceled, the session has expired, or something failed. */
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ApiError } from '../../spec/contract/errors.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { Lead, Strip, type Tone } from '../blocks.tsx'
import { Frame, renderPage } from '../frame.tsx'
import type { IconName } from '../icons.tsx'
import { CheckoutFrame, Emblem, type Order } from './frame.tsx'

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

/** A page without an order: its status, and its text in that environment. */
export interface PageAlone {
  status: ContentfulStatusCode
  title: string
  text(environment: Environment): string
}

export const UNKNOWN: PageAlone = {
  status: 404,
  title: 'We cannot find this checkout',
  text: (environment) =>
    `The address may be incomplete, or the ${environment} environment was reset since it was made. Nothing was charged. Go back to the shop and start the payment again.`,
}

export const FAILED: PageAlone = {
  status: 500,
  title: 'Something went wrong on our side',
  text: (environment) =>
    `Nothing was charged. Go back and try again; the log of the ${environment} environment has the details.`,
}

/** The disk is full and nothing was stored, so the same step works when there is room (D58). */
export const NOT_SAVED: PageAlone = {
  status: 503,
  title: 'Nothing can be saved now',
  text: (environment) =>
    `Nothing was charged. The disk of the ${environment} environment is full or fails; its log has the details. Go back and try again later.`,
}

export const TOO_LARGE: PageAlone = {
  status: 413,
  title: 'Too much was sent',
  text: () => 'Nothing was charged. Go back and enter shorter texts.',
}

/** For a request that no browser sends by itself. */
export const refusal = ({ status, message }: ApiError): PageAlone => ({
  status: status as ContentfulStatusCode,
  title: 'Request refused',
  text: () => `Nothing was charged. ${message}.`,
})

export const pageAlone = (environment: Environment, { title, text }: PageAlone) =>
  renderPage(
    <Frame title={title}>
      <Strip environment={environment} />
      <main class="alone" id="main">
        <Emblem tone="bad" icon="warning" />
        <Lead title={title}>{text(environment)}</Lead>
      </main>
    </Frame>,
  )
