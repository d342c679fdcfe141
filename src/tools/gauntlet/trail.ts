/** What is kept of a run that was not survived: the story of each order in question, its journal and what happened when. */
import type { SandboxControl } from '../../tester/control/control.ts'
import { movedAgainText, type Story } from '../../tester/story/story.ts'
import { differenceText, type OrderDifference } from './money.ts'

export interface Trail {
  /** Each request in a line, and those that were refused in full. */
  journal: string
  /** Requests and attempts of webhooks, in the order of time. */
  timeline: Story['happened']
}

type Shop = Pick<SandboxControl, 'explain' | 'requests' | 'deliveries' | 'story'>

export function trailOf(shop: Shop): Trail {
  const requests = shop.requests().map(({ arrivedAt: at, id, method, target, status, fault }) => {
    const lost = fault === null ? '' : ` (${fault})`
    return { at, id, text: `${method} ${target} → ${status ?? '…'}${lost}` }
  })
  const webhooks = shop.deliveries().flatMap(({ id, eventType, attempts }) =>
    attempts.map(({ at, status, error }) => ({
      at,
      id,
      text: `webhook ${eventType} → ${status ?? error}`,
    })),
  )
  const timeline = [...requests, ...webhooks].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  return { journal: shop.explain(), timeline }
}

/** What is wrong with the money of an order, and what did it where that is known. */
export function wrongText(shop: Shop, difference: OrderDifference): string {
  const story = storyOf(shop, difference.order)
  return (story && movedAgainText(story, difference)) ?? differenceText(difference)
}

/** An order of the calm run need not be there. */
function storyOf(shop: Shop, order: string): Story | undefined {
  try {
    return shop.story(order)
  } catch {
    return undefined
  }
}
