/** Where everything is found: one function for each page, for the sandbox that is looked at. */

export const UI = '/_sim/ui'

export type Links = ReturnType<typeof linksOf>

export function linksOf(sandbox: string) {
  const base = sandbox === 'default' ? UI : `${UI}/sandboxes/${encodeURIComponent(sandbox)}`
  const api = sandbox === 'default' ? '/_sim' : `/_sim/sandboxes/${encodeURIComponent(sandbox)}`
  const at =
    (path: string) =>
    (id: string): string =>
      `${base}/${path}/${encodeURIComponent(id)}`
  return {
    base,
    /** The same place on the tester's side, for curl. */
    api,
    request: at('requests'),
    event: at('events'),
    delivery: at('deliveries'),
    resource: at('resources'),
    page: (name: string, query: Record<string, string> = {}) => {
      const asked = new URLSearchParams(query).toString()
      return `${name === '' ? base : `${base}/${name}`}${asked && `?${asked}`}`
    },
  }
}
