/** The two environments (§1, D61), and the names of their sandboxes. */

export const ENVIRONMENTS = ['staging', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** D10: the key of a sandbox created without one. */
const KEY_PREFIXES: Readonly<Record<Environment, string>> = { staging: 'sk_staging_', production: 'sk_live_' }

export const apiKeyOf = (environment: Environment, name: string): string => KEY_PREFIXES[environment] + name

/** D61: the environment whose keys have this prefix; undefined if there is none. */
export const environmentOfKey = (apiKey: string): Environment | undefined =>
  ENVIRONMENTS.find((environment) => apiKey.startsWith(KEY_PREFIXES[environment]))

/** Keys of the real production have this prefix too, so a stub must not forward such a request to another host. */
export const isKeyOfProduction = (apiKey: string): boolean => environmentOfKey(apiKey) === 'production'

/** Public on purpose: the events that they sign move no money. */
export const SIGNING_SECRETS: Readonly<Record<Environment, string>> = {
  staging: 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE=',
  production: 'whsec_cGF5c2ltLXByb2R1Y3Rpb24tc2lnbmluZy1zZWNyZXQtMDE=',
}

/** Shown wherever a person could take the simulation for the service: banner, pages, dashboard. */
export const NOTICES: Readonly<Record<Environment, { look: string; title: string; text: string }>> = {
  staging: {
    look: 'strip',
    title: 'Staging.',
    text: 'No money moves and no message is sent. Use test details only.',
  },
  production: {
    look: 'strip production',
    title: 'A simulation of production.',
    text: 'No money moves and no message leaves this machine.',
  },
}

export interface QualifiedName {
  environment: Environment
  name: string
}

/** A sandbox's full name in addresses and files; production's names start with `production.`. */
export const fullName = ({ environment, name }: QualifiedName): string =>
  environment === 'staging' ? name : `${environment}.${name}`

/** The name as shown at an environment's address: its own sandboxes without the prefix. */
export function nameSeenAt(address: Environment, full: string): string {
  const { environment, name } = qualifiedName(full, 'staging')
  return environment === address ? name : `${environment}.${name}`
}

/** A name with an environment prefix belongs to that environment; a plain name to that of `address`. */
export function qualifiedName(text: string, address: Environment): QualifiedName {
  const [, environment = address, name = text] = /^(staging|production)\.(.*)$/s.exec(text) ?? []
  return { environment: environment as Environment, name }
}
