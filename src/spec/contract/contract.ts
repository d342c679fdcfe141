/**
 * The contract under a profile: the schemas, tables and headers for everything under /v1. Built once for each profile and held by
 * its sandboxes. Texts of paysim itself, for testers and in scenarios, use the default words under every profile.
 */
import { z } from 'zod'
import { type AddedField, addedFields, filterOf } from './added.ts'
import type { ApiError } from './api-error.ts'
import { type Codec, codecOf } from './codec.ts'
import { parseDuration } from './duration.ts'
import { ENDPOINTS, methodOf, OPERATION_IDS, type OperationId, router, usualPathOf } from './endpoints.ts'
import { exampleOf } from './errors.ts'
import { EVENT_TYPES, Event, EventEnvelope, EventPage, type EventType, resourceName } from './event.ts'
import { EXAMPLE_ID, ID_PREFIXES, type IdKind, KnownIds } from './ids.ts'
import { writer } from './json-writer.ts'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS } from './limits.ts'
import { limitOf, pageOf } from './pages.ts'
import { completed, type Profile, type ProfileChanges } from './profile.ts'
import { checkoutBody } from './resources/checkout.ts'
import { byResource, DEFINITIONS, type ResourceName } from './resources/index.ts'
import { byDelayOption, type DelayOption, type TimedCollection } from './resources/timed.ts'
import type { JsonObject } from './wire.ts'

export class Contract {
  readonly profile: Profile
  readonly changes: ProfileChanges
  /** Undefined if the profile renames nothing. */
  readonly codec: Codec | undefined
  readonly idPrefixes: Readonly<Record<IdKind, string>>
  /** Recognizes ids made under this contract. */
  readonly ids: KnownIds
  /** Of every amount (D11). */
  readonly currency: string
  /** The fields that the profile adds to each kind. */
  readonly added: Readonly<Record<ResourceName, readonly AddedField[]>>
  readonly createdStatus: 200 | 201
  readonly replayHeaders: Readonly<Record<string, string>>
  readonly keyRetentionMs: number
  /** The statuses of the operation's own refusals that a key keeps (D43). */
  readonly keptRefusals: ReadonlySet<number>
  readonly rateWindowMs: number
  /** The delay of each timed move, by the option that overrides it. */
  readonly delays: Readonly<Record<DelayOption, number>>
  readonly retryDelaysMs: readonly number[]
  readonly attemptTimeoutMs: number
  /** Writes the resource of an event of that type. */
  readonly writeSnapshot: Readonly<Record<EventType, (resource: unknown) => string>>
  readonly writeEnvelope: (event: { id: string; type: EventType; timestamp: number; data: string }) => string
  readonly #routeOf: ReturnType<typeof router<{ id: OperationId; method: string; path: string }>>

  constructor(changes: ProfileChanges) {
    const profile = completed(changes)
    const { ids, answers, idempotency, rateLimit, webhooks } = profile
    this.changes = changes
    this.profile = profile
    this.codec = codecOf(profile)
    this.idPrefixes = { ...ID_PREFIXES, ...ids.prefixes }
    this.ids = new KnownIds(this.idPrefixes, ids.length)
    this.currency = answers.currency
    this.added = byResource(({ name, fields }) => addedFields(fields, profile.add[name]))
    this.createdStatus = answers.created
    this.replayHeaders =
      idempotency.replayHeader === null ? {} : { [idempotency.replayHeader.toLowerCase()]: 'true' }
    this.keyRetentionMs = parseDuration(idempotency.keep)
    this.keptRefusals = new Set<number>(idempotency.keptRefusals)
    this.rateWindowMs = parseDuration(rateLimit.window)
    this.delays = byDelayOption((_, { kind }) =>
      parseDuration(profile[DEFINITIONS[kind].collection as TimedCollection].delay),
    )
    this.retryDelaysMs = webhooks.retries.map(parseDuration)
    this.attemptTimeoutMs = parseDuration(webhooks.timeout)
    const writers = byResource(({ name }) => writer<z.ZodType>(this.shownOf(name), this.codec?.shown(name)))
    this.writeSnapshot = Object.fromEntries(
      EVENT_TYPES.map((type) => [type, writers[resourceName(type)]]),
    ) as Contract['writeSnapshot']
    this.writeEnvelope = writer(EventEnvelope, this.codec?.shown('event'))
    this.#routeOf = router(OPERATION_IDS.map((id) => ({ id, method: methodOf(id), path: this.pathOf(id) })))
  }

  /** The path of an operation, such as `/v1/refunds/{id}`. */
  pathOf(id: OperationId): string {
    const paths: Partial<Record<OperationId, string>> = this.profile.paths
    return paths[id] ?? usualPathOf(id)
  }

  operationAt(method: string, path: string): OperationId | undefined {
    return this.#routeOf(method, path)?.row?.id
  }

  /** Writes an operation's response. */
  answerWriter(id: OperationId): (answer: unknown) => string {
    const { does, what } = ENDPOINTS[id]
    if (does === 'list')
      return writer<z.ZodType>(
        what === 'event' ? answerOf(id) : pageOf(this.shownOf(what)),
        this.codec?.page(what),
      )
    return what === 'event'
      ? writer<z.ZodType>(answerOf(id))
      : writer<z.ZodType>(this.shownOf(what), this.codec?.shown(what))
  }

  /** A resource as responses show it, with the fields that the profile adds. */
  shownOf(kind: ResourceName): z.ZodObject {
    const { Shown } = DEFINITIONS[kind] as { Shown: z.ZodObject }
    const shown = this.added[kind].map(({ name, field }) => [name, field.shown])
    return shown.length === 0 ? Shown : Shown.extend(Object.fromEntries(shown))
  }

  /** The added fields by which the lists of a kind can be filtered. */
  addedFilters(kind: ResourceName | 'event'): readonly AddedField[] {
    return kind === 'event' ? [] : this.added[kind].filter(({ filter }) => filter)
  }

  /** The same fields under the default names, for testers. */
  get inOwnWords(): Contract {
    return contractOf(this.changes.add ? { add: this.changes.add } : {})
  }

  /** The schema of an operation's body (D17, D22). */
  bodyOf(id: OperationId, usual: z.ZodType | undefined): z.ZodType | undefined {
    const { unknownFields, checkout } = this.profile.requests
    const { does, what } = ENDPOINTS[id]
    const schema: z.ZodType | undefined = id === 'checkouts.create' ? checkoutBody(checkout) : usual
    const known = schema instanceof z.ZodObject ? schema.shape : {}
    const added = does === 'create' ? this.added[what].filter(({ name }) => !(name in known)) : []
    const body =
      added.length > 0 && schema instanceof z.ZodObject
        ? schema
            .safeExtend(Object.fromEntries(added.map(({ name, field }) => [name, field.body!])))
            .meta(schema.meta() ?? {})
        : schema
    if (unknownFields === 'ignore') return body
    return body instanceof z.ZodObject ? body.strict().meta(body.meta() ?? {}) : z.strictObject({})
  }

  /** The schema of a list's query (D24). */
  queryOf(id: OperationId, usual: z.ZodType | undefined): z.ZodType | undefined {
    if (!(usual instanceof z.ZodObject)) return usual
    const { size, maxSize } = this.profile.lists
    const isUsual = size === PAGE_DEFAULT_ROWS && maxSize === PAGE_MAX_ROWS
    const added = this.addedFilters(ENDPOINTS[id].what)
    const filters = added.map((field) => [field.name, filterOf(field).optional()])
    if (isUsual && filters.length === 0) return usual
    return usual.extend({
      ...(!isUsual && { limit: limitOf(size, maxSize) }),
      ...Object.fromEntries(filters),
    })
  }

  /** The body of a refusal of this operation. */
  refusalOf(refusal: ApiError, id?: OperationId | null): JsonObject {
    return this.codec?.refusal(refusal, id ? ENDPOINTS[id].what : undefined) ?? refusal.body
  }

  /** The response for a scenario's `respond` with only a status. */
  exampleOf(status: number): { body: JsonObject; headers: Readonly<Record<string, string>> } {
    const example = exampleOf(status)
    return { body: this.refusalOf(example), headers: example.headers }
  }

  exampleId(kind: IdKind): string {
    return `${this.idPrefixes[kind]}${EXAMPLE_ID.slice(0, this.profile.ids.length)}`
  }
}

/** The schema of an operation's response. */
export function answerOf(id: OperationId): z.ZodType {
  const { does, what } = ENDPOINTS[id]
  const { Shown, Page } = what === 'event' ? { Shown: Event, Page: EventPage } : DEFINITIONS[what]
  return does === 'list' ? Page : Shown
}

export const DEFAULT_CONTRACT = new Contract({})

const CONTRACTS_MAX = 32

/** The most recently used contracts, by the JSON of their profile's changes: sandboxes with the same profile share one. */
const contracts = new Map<string, Contract>()

export function contractOf(changes: ProfileChanges = {}): Contract {
  const key = JSON.stringify(changes)
  if (key === '{}') return DEFAULT_CONTRACT
  const contract = contracts.get(key) ?? new Contract(changes)
  contracts.delete(key)
  contracts.set(key, contract)
  const [oldest] = contracts.keys()
  if (contracts.size > CONTRACTS_MAX) contracts.delete(oldest!)
  return contract
}
