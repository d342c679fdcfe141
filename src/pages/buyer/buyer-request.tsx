/** A buyer's request for the pages of a checkout, with the helpers of its steps. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { FormInput } from '../../service/buyer-flow/flow.ts'
import type { Application } from '../../service/domain/application.ts'
import type { Unit } from '../../service/operations/unit.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { Sessions } from '../session.ts'
import type { Order } from './frame.tsx'
import { StatePage } from './state-pages.tsx'

/** The content of a buyer's cookie. A session is valid for one checkout. */
export interface BuyerSession {
  id: string
  checkoutId: string
  /** The contact that the code was sent to; null before. */
  contact: string | null
  loggedIn: boolean
  /** The time of the latest request. */
  at: number
}

/** D57: after this time without a request the buyer is logged out. */
const SESSION_MS = 30 * 60_000

/** `text` was signed with our key, so it is JSON of this shape. */
export function parseSession(text: string, checkoutId: string, now: number): BuyerSession | undefined {
  const session: BuyerSession = JSON.parse(text)
  return session.checkoutId === checkoutId && now - session.at < SESSION_MS ? session : undefined
}

export interface BuyerRequest {
  unit: Unit
  checkout: Checkout
  order: Order
  session: BuyerSession | undefined
  sessions: Sessions
  typed: FormInput
  /** Whether the form carries its session's token. */
  isOurForm: boolean
  query: FormInput
}

/** A page or a redirect. The cookie is written only if there is a session. */
export type BuyerReply = { session?: BuyerSession } & ({ to: string } | Shown)

interface Shown {
  page: unknown
  status?: ContentfulStatusCode
  formTargets?: string[]
}

export const isPending = ({ checkout }: BuyerRequest) => checkout.status === 'pending'

/** The page of a checkout that is no longer pending. */
export function showState({ checkout: { status, successUrl }, order }: BuyerRequest): BuyerReply {
  if (status === 'canceled')
    return {
      page: (
        <StatePage
          order={order}
          tone="plain"
          icon="cross"
          title="This checkout was canceled"
          next={`${order.path}/cancel`}
        >
          Nothing was charged. To buy after all, start again at {order.merchant}.
        </StatePage>
      ),
    }
  const isPaid = status === 'confirmed'
  const title = isPaid ? 'This order is paid' : 'You have already approved this payment'
  return {
    page: (
      <StatePage order={order} tone="good" icon="check" title={title} next={successUrl}>
        {isPaid
          ? 'The payment is complete. Thank you.'
          : `There is nothing left to do here. ${order.merchant} completes the payment.`}
      </StatePage>
    ),
  }
}

/** The session has expired or belongs to another checkout. The order is not changed. */
export const expired = ({ order }: BuyerRequest): BuyerReply => ({
  page: (
    <StatePage
      order={order}
      tone="wait"
      icon="clock"
      title="Please log in again"
      next={`${order.path}/log-in`}
      label="Log in"
    >
      You were away for a while, so we logged you out. Your order is kept, and nothing was charged.
    </StatePage>
  ),
  status: 403,
})

/** The application, if this session's buyer has logged in and is its latest contact. */
export function applicationOf({ unit, checkout, session }: BuyerRequest): Application | undefined {
  if (!session?.loggedIn) return undefined
  const application = unit.store.applications.findByCheckout(checkout.id)
  return application?.contact === session.contact ? application : undefined
}

/** A form is accepted only from our own page, and only while the checkout is pending. */
export function guarded(request: BuyerRequest, submit: (session: BuyerSession) => BuyerReply): BuyerReply {
  const { session, isOurForm } = request
  if (!isPending(request)) return showState(request)
  if (!session || !isOurForm) return expired(request)
  return submit(session)
}
