/** The two environments (§1, D61), and the names of their sandboxes. */

export const ENVIRONMENTS = ['staging', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** D10: the key of a sandbox that was given none. */
const KEY_PREFIXES: Readonly<Record<Environment, string>> = { staging: 'sk_staging_', production: 'sk_live_' }

export const apiKeyOf = (environment: Environment, name: string): string => KEY_PREFIXES[environment] + name

/** D61: the environment whose keys begin like this one; undefined where none does. */
export const environmentOfKey = (apiKey: string): Environment | undefined =>
  ENVIRONMENTS.find((environment) => apiKey.startsWith(KEY_PREFIXES[environment]))

/** Keys of the real production begin like this too, so a stub must not pass such a request on to another host. */
export const isKeyOfProduction = (apiKey: string): boolean => environmentOfKey(apiKey) === 'production'

/** Public on purpose: the events that they sign move no money. */
export const SIGNING_SECRETS: Readonly<Record<Environment, string>> = {
  staging: 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE=',
  production: 'whsec_cGF5c2ltLXByb2R1Y3Rpb24tc2lnbmluZy1zZWNyZXQtMDE=',
}

/** What is said wherever a person could take the simulation for the service: banner, pages, dashboard. */
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

/** The name by which every address and every file knows a sandbox: production's begins with `production.`. */
export const fullName = ({ environment, name }: QualifiedName): string =>
  environment === 'staging' ? name : `${environment}.${name}`

/** The full name as the address of an environment shows it: its own sandboxes by their plain names. */
export function nameSeenAt(address: Environment, full: string): string {
  const { environment, name } = qualifiedName(full, 'staging')
  return environment === address ? name : `${environment}.${name}`
}

/** A name with an environment before it means that one; a plain name means a sandbox of `address`. */
export function qualifiedName(text: string, address: Environment): QualifiedName {
  const [, environment = address, name = text] = /^(staging|production)\.(.*)$/s.exec(text) ?? []
  return { environment: environment as Environment, name }
}
