/** The addresses of all pages for one sandbox. */
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { shortId } from './text.ts'

export const UI = '/_sim/ui'

export interface Links {
  base: string
  /** The sandbox's base path below /_sim, for curl. */
  api: string
  request(id: string): string
  /** Two requests beside each other. */
  beside(first: string, second: string): string
  event(id: string): string
  delivery(id: string): string
  resource(id: string): string
  message(id: string): string
  /** The page of any id, by its prefix. */
  any(id: string): string
  /** The kind of an id, by the prefixes of the sandbox's profile; undefined for a text that is no id. */
  kindOf: Contract['kindOf']
  /** An id as lists show it. */
  short(id: string): string
  /** The platform's name of the order that an id belongs to; undefined if it has none. */
  orderName(id: string): string | undefined
  /** That name, or else the id as lists show it. */
  named(id: string): string
  page(name: string, query?: Record<string, string>): string
  /** The first page of another sandbox, and a page of the sandbox `default`. */
  sandbox(name: string): string
  ofDefault(page: string): string
}

/** The links of one sandbox, with its currency. A report of several sandboxes has links only, as their currencies may differ. */
export interface SandboxLinks extends Links {
  currency: string
}

export function linksOf(
  sandbox: string,
  { kindOf, currency }: Contract = DEFAULT_CONTRACT,
  orderName: Links['orderName'] = () => undefined,
): SandboxLinks {
  const isDefault = sandbox === 'default'
  const base = isDefault ? UI : `${UI}/sandboxes/${encodeURIComponent(sandbox)}`
  const at =
    (path: string) =>
    (id: string): string =>
      `${base}/${path}/${encodeURIComponent(id)}`
  const request = at('requests')
  const event = at('events')
  const delivery = at('deliveries')
  const resource = at('resources')
  const message = at('outbox')
  const short = (id: string) => shortId(id, kindOf)
  return {
    base,
    api: isDefault ? '/_sim' : `/_sim/sandboxes/${encodeURIComponent(sandbox)}`,
    request,
    beside: (first: string, second: string) => `${request(first)}/beside/${encodeURIComponent(second)}`,
    event,
    delivery,
    resource,
    message,
    kindOf,
    currency,
    orderName,
    short,
    named: (id: string) => orderName(id) ?? short(id),
    sandbox: (name: string) => linksOf(name).base,
    ofDefault: (page: string) => `${UI}/${page}`,
    any(id: string): string {
      const kind = kindOf(id)
      if (kind === 'request') return request(id)
      if (kind === 'event') return event(id)
      if (kind === 'delivery') return delivery(id)
      if (kind === 'message') return message(id)
      return resource(id)
    },
    page(name: string, query: Record<string, string> = {}): string {
      const search = new URLSearchParams(query).toString()
      return `${name === '' ? base : `${base}/${name}`}${search && `?${search}`}`
    },
  }
}
