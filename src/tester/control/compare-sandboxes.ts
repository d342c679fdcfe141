/**
 * Compares two sandboxes, resource by resource. Ids are made anew in each, so resources are paired: by their
 * id, as a copy has the ids of its origin; otherwise by their role, and with the same role in the order of
 * creation.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { TABLES } from '../../service/operations/unit.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { KnownIds } from '../../spec/contract/ids.ts'
import { Alike } from '../alike/alike.ts'
import { areTimes } from '../alike/time-order.ts'
import { type ResourceRow, shownResource } from './resources.ts'
import type { RequestExplained } from './shapes.ts'
import type { InTurns } from './turns.ts'

/** The resources of a sandbox by kind, each list in the order in which they were made. */
export type ResourcesByKind = Readonly<Record<ResourceName, readonly ResourceRow[]>>

/** A field by its name, with its value in each sandbox. */
export type FieldDifference = RequestExplained['changes'][number]

export interface DifferentPair {
  first: ResourceRow
  second: ResourceRow
  fields: readonly FieldDifference[]
}

export interface KindComparison {
  name: ResourceName
  /** How many differ only in ids and times. */
  same: number
  different: readonly DifferentPair[]
  onlyFirst: readonly ResourceRow[]
  onlySecond: readonly ResourceRow[]
}

/** The fields that identify a resource without its id. A kind that refers to another one comes after it. */
const ROLES: Readonly<Record<ResourceName, readonly string[]>> = {
  customer: ['externalId'],
  payment_method: ['customerId', 'type'],
  checkout: ['orderId', 'externalId'],
  authorization: ['orderId', 'externalId'],
  refund: ['checkoutId', 'authorizationId'],
}

/** Made of the id and the sandbox's address, so not compared. */
const DERIVED = ['id', 'checkoutUrl']

type Pair = Omit<DifferentPair, 'fields'>

const COMPARED_MAX = 1000
const ROWS_OF_A_STEP = 100

/** The resources of each kind in the order of creation; `cut` if there are more than are compared. */
export function* resourcesByKind(internals: Sandbox): InTurns<{ resources: ResourcesByKind; cut: boolean }> {
  const resources: Partial<Record<ResourceName, ResourceRow[]>> = {}
  let cut = false
  for (const kind of Object.keys(ROLES) as ResourceName[]) {
    const rows: ResourceRow[] = []
    for (const page of internals.committedStore()[TABLES[kind]].pages({ limit: ROWS_OF_A_STEP })) {
      rows.push(...page.map((row) => shownResource(internals, { name: kind, row })))
      yield
      cut ||= rows.length > COMPARED_MAX
      if (rows.length > COMPARED_MAX) break
    }
    resources[kind] = rows.slice(0, COMPARED_MAX).reverse()
  }
  return { resources: resources as ResourcesByKind, cut }
}

/** `ids`: those of the contracts of both. */
export function* compareSandboxes(
  first: ResourcesByKind,
  second: ResourcesByKind,
  ids: readonly KnownIds[],
): InTurns<KindComparison[]> {
  const alike = new Alike(...ids)
  const paired = (Object.keys(ROLES) as ResourceName[]).map((name) => {
    const pairs = pairsOf(first[name], second[name], ROLES[name], alike)
    for (const pair of pairs) alike.pair(pair.first.id, pair.second.id)
    return { name, pairs }
  })
  const kinds: KindComparison[] = []
  for (const { name, pairs } of paired) {
    const compared: DifferentPair[] = []
    for (const pair of pairs) {
      compared.push({ ...pair, fields: differencesOf(pair, alike) })
      if (compared.length % PAIRS_OF_A_STEP === 0) yield
    }
    const different = compared.filter(({ fields }) => fields.length > 0)
    const found = new Set(pairs.flatMap((pair) => [pair.first, pair.second]))
    kinds.push({
      name,
      same: compared.length - different.length,
      different,
      onlyFirst: first[name].filter((row) => !found.has(row)),
      onlySecond: second[name].filter((row) => !found.has(row)),
    })
    yield
  }
  return kinds
}

/** Pairs compared in one step: 2 to 3 ms. */
const PAIRS_OF_A_STEP = 100

function pairsOf(
  first: readonly ResourceRow[],
  second: readonly ResourceRow[],
  fields: readonly string[],
  alike: Alike,
): Pair[] {
  const roleOf = (row: ResourceRow) =>
    JSON.stringify(fields.map((field) => alike.oursFor(row[field]) ?? null))
  const byId = new Map(second.map((row) => [row.id, row]))
  /**
   * The same resource, if one sandbox is a copy of the other. The id alone does not say so: two sandboxes with one seed give the
   * same ids to different resources.
   */
  const copyOf = (row: ResourceRow) => {
    const other = byId.get(row.id)
    const isCopy = ['createdAt', 'orderId', 'amount'].every((field) => row[field] === other?.[field])
    return isCopy ? other : undefined
  }
  const copied = new Set(first.flatMap((row) => copyOf(row)?.id ?? []))
  const byRole = new Map<string, ResourceRow[]>()
  for (const row of second) {
    if (copied.has(row.id)) continue
    const role = roleOf(row)
    byRole.set(role, [...(byRole.get(role) ?? []), row])
  }
  return first.flatMap((one) => {
    const other = copyOf(one) ?? byRole.get(roleOf(one))?.shift()
    return other ? [{ first: one, second: other }] : []
  })
}

function differencesOf({ first, second }: Pair, alike: Alike): FieldDifference[] {
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return [...names].flatMap((field) => {
    if (DERIVED.includes(field) || isSame(first[field], second[field], field, alike)) return []
    return [{ path: field, first: textOf(first[field]), now: textOf(second[field]) }]
  })
}

/** Whether two values are the same. Two times always are: only their presence counts. */
function isSame(one: unknown, other: unknown, place: string, alike: Alike): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return areTimes(one, other) || alike.agree(one, other, place)
  return JSON.stringify(one) === JSON.stringify(other)
}

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
