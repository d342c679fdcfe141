/** The addresses of all pages for one sandbox. */
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import type { IdKind } from '../../spec/contract/ids.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { shortId } from './text.ts'

export const UI = '/_sim/ui'

/** Links to a sandbox's content. */
export type Links = ReturnType<typeof linksOf>

/** The path of a kind's pages; resources are below `resources`. */
const FOLDERS: Partial<Record<IdKind, string>> = {
  request: 'requests',
  event: 'events',
  delivery: 'deliveries',
  message: 'outbox',
}

export function linksOf(
  sandbox: string,
  { ids, currency, added }: Contract = DEFAULT_CONTRACT,
  /** The platform's name of the order that an id belongs to; undefined if it has none. */
  orderName: (id: string) => string | undefined = () => undefined,
) {
  const below = sandbox === DEFAULT_SANDBOX ? '' : `/sandboxes/${encodeURIComponent(sandbox)}`
  const base = UI + below
  /** An id as lists show it. */
  const short = (id: string) => shortId(id, ids)
  return {
    base,
    /** The sandbox's base path below /_sim, for curl. */
    api: `/_sim${below}`,
    currency,
    /** The type of a field that is not a column. */
    typeOf: (field: string) =>
      Object.values(added)
        .flat()
        .find(({ name }) => name === field)?.type,
    /** The page of an id, found by its prefix. */
    any(id: string) {
      const kind = ids.kindOf(id)
      return `${base}/${(kind && FOLDERS[kind]) ?? 'resources'}/${encodeURIComponent(id)}`
    },
    page(name: string, query: Readonly<Record<string, string>> = {}) {
      const search = new URLSearchParams(query).toString()
      return `${name === '' ? base : `${base}/${name}`}${search && `?${search}`}`
    },
    /** Whether the whole text is an id of the sandbox's contract. */
    isId: ids.isId,
    short,
    orderName,
    named: (id: string) => orderName(id) ?? short(id),
  }
}
