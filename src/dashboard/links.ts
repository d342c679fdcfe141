/** Where everything is found: one function for each page, for the sandbox that is looked at. */

export const UI = '/_sim/ui'

export type Links = ReturnType<typeof linksOf>

export function linksOf(sandbox: string) {
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
  return {
    base,
    /** The same place on the tester's side, for curl. */
    api: isDefault ? '/_sim' : `/_sim/sandboxes/${encodeURIComponent(sandbox)}`,
    request,
    event,
    delivery,
    resource,
    /** By what an id says of itself. */
    any(id: string): string {
      if (id.startsWith('req_')) return request(id)
      if (id.startsWith('evt_')) return event(id)
      if (id.startsWith('dlv_')) return delivery(id)
      return resource(id)
    },
    page(name: string, query: Record<string, string> = {}): string {
      const asked = new URLSearchParams(query).toString()
      return `${name === '' ? base : `${base}/${name}`}${asked && `?${asked}`}`
    },
  }
}

/** The same page in another sandbox, or its first page where this one cannot exist there. */
export const sameIn = (sandbox: string, place: string): string => linksOf(sandbox).page(place)
