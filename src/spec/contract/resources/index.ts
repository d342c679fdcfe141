/** Every kind of resource. An event is about one of them. */
import { authorization } from './authorization.ts'
import { checkout } from './checkout.ts'
import { customer } from './customer.ts'
import { paymentMethod } from './payment-method.ts'
import { refund } from './refund.ts'

export const DEFINITIONS = {
  checkout,
  authorization,
  refund,
  customer,
  payment_method: paymentMethod,
} as const

export type Definitions = typeof DEFINITIONS
export type ResourceName = keyof Definitions
export const RESOURCE_NAMES = Object.keys(DEFINITIONS) as ResourceName[]

/** In the order of the docs. */
export const BY_NAME = Object.values(DEFINITIONS).sort((a, b) => (a.name < b.name ? -1 : 1))

/** A table by kind, made from each definition. */
export const byResource = <Value>(of: (definition: Definitions[ResourceName]) => Value) =>
  Object.fromEntries(RESOURCE_NAMES.map((name) => [name, of(DEFINITIONS[name])])) as Record<
    ResourceName,
    Value
  >

/** Such as `an authorization`. */
export function oneOfKind(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replace('_', ' ')}`
}
