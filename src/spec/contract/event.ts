/** §6 Event: one per transition, sent to the platform by a webhook whose body is exactly this. */
import { z } from 'zod'
import { Authorization } from './authorization.ts'
import { CheckoutWithUrl } from './checkout.ts'
import { Customer } from './customer.ts'
import { id } from './ids.ts'
import { JsonText, storedAsJson } from './json-writer.ts'
import { pageOf, pageParameters } from './pages.ts'
import { PaymentMethod } from './payment-method.ts'
import { Refund } from './refund.ts'
import { Instant, oneOf } from './wire.ts'

/** D30: resource, dot, past tense. */
export const EVENT_TYPES = [
  'checkout.created',
  'checkout.approved',
  'checkout.confirmed',
  'checkout.canceled',
  'authorization.created',
  'authorization.captured',
  'authorization.voided',
  'refund.created',
  'refund.completed',
  'customer.created',
  'payment_method.attached',
  'payment_method.detached',
] as const

export const EVENT_PATTERNS: readonly (EventType | `${ResourceName}.*` | '*')[] = [
  ...EVENT_TYPES,
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0] as ResourceName}.*` as const)),
  '*',
]

/** One type, all of one resource as in `refund.*`, or `*`. */
export const EventPattern = z
  .enum(EVENT_PATTERNS)
  .meta({ id: 'EventPattern', description: 'An event type, all of one resource as in refund.*, or *' })
export type EventPattern = z.output<typeof EventPattern>

/** Whether a pattern such as `refund.completed`, `refund.*` or `*` means an event. */
export const matchesEvent = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

export const EventType = oneOf(EVENT_TYPES)
export type EventType = z.output<typeof EventType>

/** What an event can be about; its snapshot is written with the resource's own schema. */
export const RESOURCES = {
  checkout: CheckoutWithUrl,
  authorization: Authorization,
  refund: Refund,
  customer: Customer,
  payment_method: PaymentMethod,
} as const

export type ResourceName = keyof typeof RESOURCES

type ResourceOf<Type extends EventType> = Type extends `${infer Name extends ResourceName}.${string}`
  ? Name
  : never

/** The type of `data` follows from `type`; `data` is the resource as it was when the event happened. */
export type Event = {
  [Type in EventType]: {
    id: string
    type: Type
    timestamp: string
    data: z.input<(typeof RESOURCES)[ResourceOf<Type>]>
  }
}[EventType]

export const resourceName = (type: EventType): ResourceName =>
  type.slice(0, type.lastIndexOf('.')) as ResourceName

/** `checkout.created` is described as CheckoutCreatedEvent. */
export const eventName = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`

const eventOf = (type: EventType) =>
  z
    .object({
      id: id('event').meta({ description: 'Also the webhook-id of every delivery' }),
      type: z.literal(type),
      timestamp: Instant.in.meta({ description: 'When it happened, not when it was delivered' }),
      // Exactly this schema object, not a copy with `.meta()`: worded.ts finds a schema's names by its
      // identity.
      data: RESOURCES[resourceName(type)] as z.ZodObject,
    })
    .meta({ id: eventName(type) })

/** On the wire, one schema for each type: a program that looks at `type` knows what `data` is. */
export const EVENTS = Object.fromEntries(EVENT_TYPES.map((type) => [type, eventOf(type)])) as Record<
  EventType,
  ReturnType<typeof eventOf>
>

/** Written once, when it happens, so that every later read and every delivery has the same bytes. */
export const Event = storedAsJson(
  z.union(Object.values(EVENTS)).meta({
    id: 'Event',
    description: 'What happened, with the resource as it was at that moment',
  }) as unknown as z.ZodType<Event, Event>,
)

/** The parts from which an event's JSON is written: `data` is already JSON text. */
export const EventEnvelope = z.object({ id: z.string(), type: EventType, timestamp: Instant, data: JsonText })

export const EVENT_FIELDS: readonly string[] = Object.keys(EventEnvelope.shape)

export const EventQuery = z.object({ type: EventType.optional(), ...pageParameters })

export const EventPage = pageOf(Event).meta({ id: 'EventPage' })
