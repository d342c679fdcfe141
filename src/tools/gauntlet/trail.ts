/** The details of a run: the stories of its orders, the journal, and a timeline. */
import { type SandboxControl, steeredBy } from '../../tester/control/control.ts'
import { type Explanation, explainDifference } from '../../tester/story/difference.ts'
import type { Story, ToldOrder } from '../../tester/story/story.ts'
import { differenceText, type OrderDifference, type OrderMoney } from './money.ts'

export interface Trail {
  /** Each request in a line, and those that were refused in full. */
  journal: string
  /** Requests and attempts of webhooks, in the order of time. */
  timeline: Story['happened']
}

/** The stories of the orders of one sandbox, and its trail. */
export interface Details {
  stories: Readonly<Record<string, ToldOrder>>
  trail: Trail
}

/** Keeps the report small. */
const STORIES_MOST = 50

export function detailsOf(shop: SandboxControl, money: readonly OrderMoney[]): Details {
  const stories = money.slice(0, STORIES_MOST).map(({ order }) => {
    const { currency, moves, sentences } = shop.explain(order)
    return [order, { currency, moves, sentences }]
  })
  return { stories: Object.fromEntries(stories), trail: trailOf(shop) }
}

function trailOf(shop: SandboxControl): Trail {
  const named = (id: string, text: string) =>
    [steeredBy(shop).browse.orderName(id) ?? [], text].flat().join(' · ')
  const requests = shop.requests().map(({ arrivedAt: at, id, method, target, status, fault }) => {
    const lost = fault === null ? '' : ` (${fault})`
    return { at, id, text: named(id, `${method} ${target} → ${status ?? '…'}${lost}`) }
  })
  const webhooks = shop.deliveries().flatMap(({ id, eventType, attempts }) =>
    attempts.map(({ at, status, error }) => ({
      at,
      id,
      text: named(id, `webhook ${eventType} → ${status ?? error}`),
    })),
  )
  const timeline = [...requests, ...webhooks].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return { journal: shop.journal(), timeline }
}

/** Joins the trails of several tests, one after another. */
export function joinedTrail(trails: readonly { test: string | undefined; trail: Trail }[]): Trail {
  return {
    journal: trails
      .map(({ test, trail }) => (test === undefined ? trail.journal : `${test}\n${trail.journal}`))
      .join('\n\n'),
    timeline: trails.flatMap(({ test, trail }) =>
      trail.timeline.map((entry) => ({ ...entry, text: ofTest(test, entry.text) })),
    ),
  }
}

/** What is wrong with an order's money, and the cause if it is known. */
export function explained(difference: OrderDifference, details: readonly Details['stories'][]): Explanation {
  const stories = details.flatMap((byOrder) => byOrder[difference.order] ?? [])
  const { text, rules } = explainDifference(stories, difference) ?? {
    text: differenceText(difference),
    rules: [],
  }
  return { text: ofTest(difference.test, text), rules }
}

/** Names the test, if each has a sandbox of its own. */
export const ofTest = (test: string | undefined, text: string): string =>
  test === undefined ? text : `"${test}": ${text}`
