/**
 * What a tester can ask for beside a resource, as schemas: the embedded object, `/_sim` and so `paysim/control` read the
 * same ones. A misspelt name, or a word that nothing has, would find nothing, and a test that expects nothing would pass.
 */
import { z } from 'zod'
import { Op } from '../../sandbox/scenario-file/behavior.ts'
import type { StatusClass } from '../../sandbox/scenario-file/requests.ts'
import type { OperationPattern } from '../../spec/contract/endpoints.ts'
import { EventType } from '../../spec/contract/event.ts'
import { ResetKind, text } from '../../spec/contract/tester.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { type DurationOrMs, Switch } from '../../spec/options/values.ts'

export const durationText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a duration such as 250ms, 5s or 2d' })
  .meta({
    description: 'A duration such as 250ms, 5s or 2d, or milliseconds',
    example: '2d',
  }) as unknown as z.ZodType<DurationOrMs, DurationOrMs>

/** How long to wait, in real time. */
export interface WaitOptions {
  /** How long to wait, in real time: milliseconds, or a duration such as `5s`. */
  within?: DurationOrMs | undefined
}

/** The latest ones, or those before one of them. */
export interface HistoryWindow {
  /** How many at most; left out, all. */
  limit?: number | undefined
  /** The id of one of them: only what came before it. */
  cursor?: string | undefined
}

export interface DueWindow {
  /** How many at most. */
  limit?: number | undefined
}

export interface EventFilter extends HistoryWindow {
  /** The type, such as `refund.completed`. */
  type?: EventType | undefined
  /** The id of the resource that it is about. */
  resourceId?: string | undefined
}

export interface NewEvent {
  /** The type, such as `refund.completed`. */
  type: EventType
  /** The id of the resource that it is about. */
  resourceId: string
}

export interface DeliveryFilter extends HistoryWindow {
  /** How it went: `failed` once the last attempt has failed. */
  status?: 'pending' | 'delivered' | 'failed' | undefined
  /** The id of the event that is delivered. */
  eventId?: string | undefined
}

export interface ResetOptions {
  /** What starts over; left out, everything. */
  what?: readonly ResetKind[] | undefined
}

export type RequestStatus = number | `${number}` | StatusClass | 'none'

/** A request must fit all that is given. */
export interface RequestFilter extends HistoryWindow {
  /** An operation, such as `refunds.create`; * for any, as in `checkouts.*`. */
  op?: OperationPattern | undefined
  /** `409`, `4xx`, or `none` for a request that is still under way. */
  status?: RequestStatus | undefined
  /** The Idempotency-Key. */
  key?: string | undefined
  /** Such as `POST`. */
  method?: string | undefined
  /** The id of a resource that the request named, or that it changed. */
  resource?: string | undefined
  /** `failing`: refused, failed or without an answer; `broken`: of these, those whose connection was broken. */
  only?: 'failing' | 'broken' | undefined
  /** The id of a behavior that acted on it. */
  behavior?: string | undefined
  /** A part of its path, key, order or error, in any case, or its amount: `12.50`, or `1250` in cents. */
  text?: string | undefined
  /** A time on the sandbox's clock, or a request: what arrived since then. */
  since?: string | number | Date | undefined
}

/** The time itself is judged where it is waited for. */
export const Waiting = z.strictObject({
  within: z.union([z.string(), z.number()]).optional(),
})

export const Settling = Waiting.extend({
  held: Switch.optional().meta({ description: 'false: requests that are held are not waited for' }),
})

const ROWS_RULE = 'must be a whole number of at least 1'
const window = {
  limit: z.int(ROWS_RULE).min(1, ROWS_RULE).optional(),
  cursor: text.optional(),
}

export const HistoryWindow = z.strictObject(window)

export const DueWindow = z.strictObject({ limit: window.limit })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
const STATUS_RULE = 'must be a status such as 409 or 4xx, or none'

const Status = z
  .union([z.int().min(100).max(599), z.string().regex(/^([1-5](\d\d|xx)|none)$/, STATUS_RULE)], STATUS_RULE)
  .meta({ description: 'Such as 409 or 4xx; none while under way' }) as unknown as z.ZodType<
  RequestStatus,
  RequestStatus
>

/** Whether a request is among those that are asked for. */
export const requestFields = {
  op: Op.optional(),
  status: Status.optional(),
  key: text.optional().meta({ description: 'The Idempotency-Key' }),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(METHODS, `must be one of ${METHODS.join(', ')}`))
    .optional(),
  resource: text.optional().meta({ description: 'The id of a resource that it named or changed' }),
  only: oneOf(['failing', 'broken']).optional().meta({
    description: 'failing: refused, failed or without an answer; broken: of these, with a broken connection',
  }),
  behavior: text.optional().meta({ description: 'The id of a behavior that acted on it' }),
  text: text.optional().meta({
    description:
      'A part of its path, key, order or error, in any case, or its amount: 12.50, or 1250 in cents',
  }),
}

export const RequestFilter = z.strictObject({
  ...requestFields,
  since: z.union([z.string(), z.number(), z.date()]).optional(),
  ...window,
})

export const eventFields = { type: EventType.optional(), resourceId: text.optional() }
export const EventFilter = z.strictObject({ ...eventFields, ...window })

export const NewEvent = z.strictObject({ type: EventType, resourceId: text }).meta({ id: 'NewEvent' })

export const deliveryFields = {
  status: oneOf(['pending', 'delivered', 'failed']).optional(),
  eventId: text.optional(),
}
export const DeliveryFilter = z.strictObject({ ...deliveryFields, ...window })

export const ConductAsked = z.strictObject({
  ignore: z.unknown().optional().meta({
    description: 'Rules that are not applied, each with a reason; `;` stands between two',
    example: 'C7=legacy importer',
  }),
})

export const Reset = z
  .strictObject({ what: z.array(ResetKind).optional().meta({ description: 'Everything, if left out' }) })
  .meta({ id: 'Reset' })
