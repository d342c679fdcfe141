/**
 * The contract under a profile: the schemas, tables and headers that everything under /v1 is made with. It is built once
 * for each profile and held by the sandboxes that have it. What paysim itself says, to testers and in scenarios, has the
 * defaults' words under every profile.
 */
import type { z } from 'zod'
import type { ApiError } from './api-error.ts'
import { parseDuration } from './duration.ts'
import { methodOf, OPERATION_IDS, type OperationId, router, usualPathOf } from './endpoints.ts'
import { exampleOf } from './errors.ts'
import { EVENT_TYPES, EventEnvelope, type EventType, RESOURCES, resourceName } from './event.ts'
import { EXAMPLE_ID, ID_PREFIXES, type IdKind, KnownIds } from './ids.ts'
import { writer } from './json-writer.ts'
import { completed, type Profile, type ProfileChanges } from './profile.ts'
import { RefusalWords } from './refusal-words.ts'
import { DEFINITIONS } from './resources/index.ts'
import { TIMED_MOVES, type TimedCollection, type TimedWork } from './resources/timed.ts'
import type { JsonObject } from './wire.ts'
import { Wording } from './worded.ts'

type Reword = <Schema extends z.ZodType>(schema: Schema) => Schema

export class Contract {
  readonly profile: Profile
  readonly changes: ProfileChanges
  /** Gives for each schema the one in the profile's words, and reads values in these words back. */
  readonly wording: Wording
  /** Writes refusals in the profile's words and reads them back. */
  readonly refusals: RefusalWords
  /** A schema in the profile's words; itself under the defaults. */
  readonly schema: Reword
  readonly idPrefixes: Readonly<Record<IdKind, string>>
  /** Recognizes the ids that are made under it. */
  readonly ids: KnownIds
  /** Of every amount (D11). */
  readonly currency: string
  readonly createdStatus: 200 | 201
  readonly replayHeaders: Readonly<Record<string, string>>
  readonly keyRetentionMs: number
  /** The statuses of the operation's own refusals that a key keeps (D43). */
  readonly keptRefusals: ReadonlySet<number>
  readonly rateWindowMs: number
  /** How long each move by time takes. */
  readonly delays: Readonly<Record<TimedWork, number>>
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
    this.wording = new Wording(profile)
    this.refusals = new RefusalWords(profile, this.wording)
    this.schema = (schema) => this.wording.of(schema).schema as typeof schema
    this.idPrefixes = { ...ID_PREFIXES, ...ids.prefixes }
    this.ids = new KnownIds(this.idPrefixes, ids.length)
    this.currency = answers.currency
    this.createdStatus = answers.created
    this.replayHeaders =
      idempotency.replayHeader === null ? {} : { [idempotency.replayHeader.toLowerCase()]: 'true' }
    this.keyRetentionMs = parseDuration(idempotency.keep)
    this.keptRefusals = new Set<number>(idempotency.keptRefusals)
    this.rateWindowMs = parseDuration(rateLimit.window)
    this.delays = Object.fromEntries(
      TIMED_MOVES.map(({ work, kind }) => [
        work,
        parseDuration(profile[DEFINITIONS[kind].collection as TimedCollection].delay),
      ]),
    ) as Contract['delays']
    this.retryDelaysMs = webhooks.retries.map(parseDuration)
    this.attemptTimeoutMs = parseDuration(webhooks.timeout)
    const writers = new Map(
      Object.entries(RESOURCES).map(([name, schema]) => [name, writer(this.schema(schema))]),
    )
    this.writeSnapshot = Object.fromEntries(
      EVENT_TYPES.map((type) => [type, writers.get(resourceName(type))]),
    ) as Contract['writeSnapshot']
    this.writeEnvelope = writer(this.schema(EventEnvelope))
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

  refusalJson(refusal: ApiError): string {
    return JSON.stringify(this.refusals.bodyOf(refusal))
  }

  /** The answer for a scenario's `respond` that has only a status. */
  exampleOf(status: number): { body: JsonObject; headers: Readonly<Record<string, string>> } {
    const example = exampleOf(status)
    return { body: this.refusals.bodyOf(example), headers: example.headers }
  }

  exampleId(kind: IdKind): string {
    return `${this.idPrefixes[kind]}${EXAMPLE_ID.slice(0, this.profile.ids.length)}`
  }
}

export const DEFAULT_CONTRACT = new Contract({})

const CONTRACTS_MAX = 32

/** The latest used ones, by the JSON of their profile's changes: sandboxes with the same profile share one. */
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
