/**
 * Schemas of a tester's inputs that are not resources, for the embedded object, `/_sim` and `paysim/control`. They refuse unknown
 * names and words: these would find nothing, and a test that expects nothing would pass.
 */
import { z } from 'zod'
import { DELIVERY_STATUSES } from '../../service/store/deliveries.ts'
import { EventType } from '../../spec/contract/event.ts'
import { ResetKind, text } from '../../spec/contract/tester.ts'
import { oneOf, typedAs } from '../../spec/contract/wire.ts'
import type { Written } from '../../spec/contract/written.ts'
import { DurationOrMs, IgnoredRules, Switch } from '../../spec/options/values.ts'

export const durationText = typedAs<DurationOrMs>(
  z
    .union([z.string(), z.int().min(0)], { error: 'must be a duration such as 250ms, 5s or 2d' })
    .meta({ description: 'A duration such as 250ms, 5s or 2d, or milliseconds', example: '2d' }),
)

export const Waiting = z.strictObject({
  within: DurationOrMs.optional().describe(
    'How long to wait, in real time: milliseconds, or a duration such as `5s`',
  ),
})
export type WaitOptions = Written<typeof Waiting>

export const Settling = Waiting.extend({
  held: Switch.optional().describe(
    '`false`: a request that is held at a gate or for the clock counts as settled',
  ),
})
export type SettleOptions = Written<typeof Settling>

const ROWS_RULE = 'must be a whole number of at least 1'
export const historyWindow = {
  limit: z.int(ROWS_RULE).min(1, ROWS_RULE).optional().describe('How many at most; default: all'),
  cursor: text
    .optional()
    .describe('The id of one of them, or the number of a movement: only what came before it'),
}

/** The latest ones, or those before a given one. */
export const HistoryWindow = z.strictObject(historyWindow)
export type HistoryWindow = Written<typeof HistoryWindow>

export const DueWindow = z.strictObject({ limit: historyWindow.limit })
export type DueWindow = Written<typeof DueWindow>

export const EventFilter = z.strictObject({
  type: EventType.optional().describe('The type, such as `refund.completed`'),
  resourceId: text.optional().describe('The id of the resource that it is about'),
  ...historyWindow,
})
export type EventFilter = Written<typeof EventFilter>

/** A time, or milliseconds since 1970. A Date only in code, because JSON has none. */
export type TimeOrDate = string | number | Date
export const TimeOrDate = typedAs<TimeOrDate>(z.union([z.string(), z.number()]))

const EVENT_ID_RULE = 'must be 1 to 255 letters, digits, - and _'

export const NewEvent = z
  .strictObject({
    type: EventType.describe('The type, such as `refund.completed`'),
    resourceId: text
      .optional()
      .describe('The id of the resource that it is about, as it is now; default: the `id` of `data`'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields of the resource that are otherwise; all of them, of a resource that is not there'),
    id: z
      .string()
      .regex(/^[\w-]{1,255}$/, EVENT_ID_RULE)
      .optional()
      .describe('Its id, which is the `webhook-id` too; default: a new one'),
    timestamp: TimeOrDate.optional().describe(
      'When it happened: a time, or milliseconds since 1970; default: now',
    ),
  })
  .meta({ id: 'NewEvent' })
export type NewEvent = Written<typeof NewEvent>

export const DeliveryFilter = z.strictObject({
  status: oneOf(DELIVERY_STATUSES)
    .optional()
    .describe('The status: `failed` once the last attempt has failed'),
  eventId: text.optional().describe('The id of the event that is delivered'),
  ...historyWindow,
})
export type DeliveryFilter = Written<typeof DeliveryFilter>

export const AuditAsked = z.strictObject({
  // Text in a query; in code also an object.
  ignore: z.unknown().pipe(IgnoredRules).optional().meta({
    type: 'string',
    description: 'Rules to ignore, each with a reason, separated by `;`',
    example: 'C7=legacy importer',
  }),
})

export const Reset = z
  .strictObject({
    what: z.array(ResetKind).readonly().optional().describe('What starts over; default: everything'),
  })
  .meta({ id: 'Reset' })
export type ResetOptions = Written<typeof Reset>
