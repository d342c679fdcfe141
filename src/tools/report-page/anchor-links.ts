/** The dashboard's links as links within one page. */
import type { Links } from '../../pages/dashboard/links.ts'
import { shortId } from '../../pages/dashboard/text.ts'
import { idKindOf } from '../../spec/contract/ids.ts'
import type { SandboxRecord } from '../player/result.ts'
import type { ShownExchange } from './exchanges.ts'

/** `anchor`: of the scenario, where a link leads whose own part is not on the page. */
export function anchorLinks(
  anchor: string,
  exchanges: readonly ShownExchange[],
  record: SandboxRecord | undefined,
): Links {
  const places = new Map<string, string>()
  for (const { id, explained } of exchanges) {
    places.set(id, id)
    // A link to a resource leads to the request that made it.
    for (const { resourceId } of explained?.events ?? [])
      if (!places.has(resourceId)) places.set(resourceId, id)
  }
  const names = new Map<string, string>()
  for (const { id, data } of record?.events ?? []) {
    const name = data.orderId ?? names.get(String(data.checkoutId ?? data.authorizationId))
    if (typeof name === 'string') names.set(data.id, name)
    places.set(id, id)
    if (!places.has(data.id)) places.set(data.id, id)
  }
  for (const { id, eventId } of record?.deliveries ?? []) places.set(id, eventId)
  const to = (id: string) => {
    const place = places.get(id)
    return place === undefined ? `#${anchor}` : `#${anchor}-${place}`
  }
  return {
    any: to,
    beside: to,
    page: () => `#${anchor}`,
    kindOf: idKindOf,
    short: shortId,
    orderName: (id) => names.get(id),
    named: (id) => names.get(id) ?? shortId(id),
  }
}
