/** Where a service and a sandbox part in one exchange. */

import type { ShadowDifference, ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import { counted } from '../../spec/contract/counted.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { JsonFields, ServiceExchange } from '../learn/evidence.ts'
import { listField } from '../learn/reading.ts'
import { compareAnswers } from '../player/compare-sides.ts'
import type { Mirror, Mirrored } from './mirror.ts'

export const withoutBodies = (exchange: ShadowedExchange): ShadowedExchange => ({
  ...exchange,
  body: undefined,
  theirs: { ...exchange.theirs, body: '' },
  ours: { ...exchange.ours, body: '' },
  bodiesForgotten: true,
})

/** Plays the request in the sandbox, and compares the answers. */
export async function shadowed(
  mirror: Mirror,
  exchange: ServiceExchange,
  { number, at }: Pick<ShadowedExchange, 'number' | 'at'>,
): Promise<{ exchange: ServiceExchange; shadowed: ShadowedExchange }> {
  const { asked, theirs } = exchange
  const mirrored = await mirror.play(exchange)
  const { ours, unknown, ids } = mirrored
  return {
    exchange: unknown ? exchange : { ...exchange, ours },
    shadowed: {
      number,
      at,
      method: asked.method,
      target: asked.target,
      body: asked.body,
      theirs: { status: theirs.status, body: theirs.body },
      ours: { status: ours.status, body: ours.body, requestId: ours.headers['x-sim-request'] },
      ids,
      ...compared(mirrored, mirror),
    },
  }
}

type Compared = Pick<ShadowedExchange, 'differences' | 'notes'>

function compared({ ours, unknown, paired }: Mirrored, mirror: Mirror): Compared {
  if (unknown !== undefined) {
    const sentence =
      unknown === 'path'
        ? `the path is answered with ${paired.status} there, and there is no such path here`
        : 'the sandbox does not have the resource: it was made before, or refused here'
    return {
      differences: [
        { path: unknown, kind: unknown, theirs: `${paired.status}`, ours: `${ours.status}`, sentence },
      ],
      notes: [],
    }
  }
  const found = compareAnswers(ours, paired, mirror.sandbox.origin)
  const items = itemsOnOneSide(jsonIn(paired.body), jsonIn(ours.body), mirror)
  return {
    differences: [...found, ...items.differences],
    notes: items.notes,
  }
}

/** The service may have items that were not made through the proxy, and they may push others to a later page. */
function itemsOnOneSide(theirs: unknown, ours: unknown, mirror: Mirror): Compared {
  const nothing = { differences: [], notes: [] }
  if (!isObject(theirs) || !isObject(ours)) return nothing
  const [there, here] = [listField(theirs), listField(ours)]
  if (there === undefined || here?.name !== there.name) return nothing
  const [theirIds, ourIds] = [idsOf(there.items), idsOf(here.items)]
  const onlyThere = theirIds.filter((id) => !ourIds.includes(id))
  const known = hasMore(ours) ? [] : onlyThere.filter((id) => mirror.isPaired(id))
  const onlyHere = ourIds.filter((id) => !theirIds.includes(id))
  const missing = hasMore(theirs) ? [] : onlyHere
  const path = `$.${there.name}`
  const strange = onlyThere.length - known.length
  const later = onlyHere.length - missing.length
  return {
    differences: [
      ...known.map((id) => oneSided(path, id, 'missing')),
      ...missing.map((id) => oneSided(path, 'missing', id)),
    ],
    notes: [
      ...(strange > 0 ? [`not made through the proxy: ${counted(strange, 'item')} of ${path} there`] : []),
      ...(later > 0 ? [`perhaps on a later page there: ${counted(later, 'item')} of ${path} here`] : []),
    ],
  }
}

const oneSided = (path: string, theirs: string, ours: string): ShadowDifference => ({
  path,
  kind: 'items',
  theirs,
  ours,
  sentence:
    ours === 'missing'
      ? `${path} has ${theirs} there, and not here`
      : `${path} has ${ours} here, and not there`,
})

const idsOf = (items: readonly unknown[]) =>
  items.flatMap((item) => (isObject(item) && typeof item.id === 'string' ? [item.id] : []))

/** The name of the flag depends on the profile. */
const hasMore = (page: JsonFields) => Object.values(page).includes(true)
