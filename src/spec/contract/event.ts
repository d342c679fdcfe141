/** §6 Event: one per transition, sent to the platform by a webhook whose body is exactly this. */
import { z } from 'zod'
import { id } from './ids.ts'
import { JsonText, storedAsJson } from './json-writer.ts'
import { pageOf, pageParameters } from './pages.ts'
import {
  byResource,
  DEFINITIONS,
  type Definitions,
  RESOURCE_NAMES,
  type ResourceName,
} from './resources/index.ts'
import { Instant, oneOf, typedAs } from './wire.ts'

type WordsOf<Definition> = Definition extends {
  created: infer Created extends string
  moves: infer Rows extends Readonly<Record<string, { to: string }>>
}
  ? Created | Rows[keyof Rows]['to']
  : never

/** D30: resource, dot, past tense. */
export type EventType = {
  [Name in ResourceName]: `${Name}.${WordsOf<Definitions[Name]>}`
}[ResourceName]

export const EVENT_TYPES = RESOURCE_NAMES.flatMap((name) => {
  const { created, moves } = DEFINITIONS[name]
  return [created, ...Object.values(moves).map(({ to }) => to)].map((word) => `${name}.${word}`)
}) as [EventType, ...EventType[]]

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

/** Whether a pattern such as `refund.completed`, `refund.*` or `*` matches an event. */
export const matchesEvent = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

export const EventType = oneOf(EVENT_TYPES)
export type { ResourceName }

type Shown = { readonly [Name in ResourceName]: Definitions[Name]['Shown'] }

/** The schema of each kind in responses and events. */
export const RESOURCES = byResource<unknown>(({ Shown }) => Shown) as Shown

type ResourceOf<Type extends EventType> = Type extends `${infer Name extends ResourceName}.${string}`
  ? Name
  : never

/** `type` determines the type of `data`, which is the resource at the time of the event. */
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
      id: id('event').describe('Also the webhook-id of every delivery'),
      type: z.literal(type),
      timestamp: Instant.in.describe('When it happened, not when it was delivered'),
      data: RESOURCES[resourceName(type)] as z.ZodObject,
    })
    .meta({ id: eventName(type) })

/** On the wire, one schema for each type, so that `type` determines `data` for a program. */
export const EVENTS = Object.fromEntries(EVENT_TYPES.map((type) => [type, eventOf(type)])) as Record<
  EventType,
  ReturnType<typeof eventOf>
>

/** Written once, when it happens, so that every later read and delivery has the same bytes. */
export const Event = storedAsJson(
  typedAs<Event>(
    z.union(Object.values(EVENTS)).meta({
      id: 'Event',
      description: 'What happened, with the resource as it was at that moment',
    }),
  ),
)

/** The parts from which an event's JSON is written: `data` is already JSON text. */
export const EventEnvelope = z.object({ id: z.string(), type: EventType, timestamp: Instant, data: JsonText })

export const EventQuery = z.object({ type: EventType.optional(), ...pageParameters })

export const EventPage = pageOf(Event).meta({ id: 'EventPage' })
