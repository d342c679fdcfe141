/** The schemas of the values in the behaviors' memory, by kind: an uploaded database may contain anything. */
import { z } from 'zod'
import { DURATION_MAX_MS } from '../../spec/contract/duration.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { Behavior } from '../scenario-file/behavior.ts'

const Count = z.int().min(0)
const Word32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)

const SignatureFault = z.enum(['stale', 'wrong-secret', 'tampered', 'missing'])

/**
 * Kinds about the sandbox's own refunds, deliveries and events. A reset removes these resources, and with
 * them the values.
 */
const KINDS_OF_DATA = {
  'held back delivery': z.strictObject({
    copies: Count.max(TESTER_LIMITS.duplicates.max),
    afterMs: Count.max(DURATION_MAX_MS),
    afterNextEvent: z.boolean(),
    sign: SignatureFault.optional(),
  }),
  'signature fault': SignatureFault,
  'done to': z.array(
    z.strictObject({
      behavior: z.string(),
      did: z.string(),
      fired: z.boolean(),
      why: z.string(),
      words: z.looseObject({}),
      at: Count,
      subject: z.string(),
    }),
  ),
  'reads left of a refund': Count,
  'gate of a refund': z.string(),
}

const KINDS = {
  ...KINDS_OF_DATA,
  'random numbers': z.tuple([Word32, Word32, Word32, Word32]),
  'behaviors without an id': Count,
  armed: z.strictObject({ id: z.string(), behavior: Behavior, armedAt: Count, permanent: z.boolean() }),
  'attempts of a magic order': Count,
}

/** Kinds of one armed behavior: in the database, its number follows. */
const KINDS_OF_A_BEHAVIOR = {
  'counts of': z.strictObject({ matched: Count, fired: Count }),
  'rate windows of': z.strictObject({ startedAt: Count, requests: Count }),
}

/** The name of a kind, as in the database. */
export type RememberedKind = keyof typeof KINDS | `${keyof typeof KINDS_OF_A_BEHAVIOR} ${string}`

export const isRemembered = (kind: string, value: unknown): boolean =>
  schemaOf(kind)?.safeParse(value).success ?? false

export const isOfData = (kind: string): boolean => Object.hasOwn(KINDS_OF_DATA, kind)

function schemaOf(kind: string): z.ZodType | undefined {
  const [, ofBehavior] = /^(.* of) \d+$/.exec(kind) ?? []
  return ofBehavior === undefined ? own(KINDS, kind) : own(KINDS_OF_A_BEHAVIOR, ofBehavior)
}

const own = (kinds: Readonly<Record<string, z.ZodType>>, name: string): z.ZodType | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name] : undefined
