/**
 * What rows of remembered values have to look like. A database from elsewhere, or of another version, may have others: it is
 * refused before it is used, because a wrong value would only be met in the middle of a request.
 */
import { z } from 'zod'
import { invalidSnapshot } from '../contract/errors.ts'
import { shortened } from '../contract/shortened.ts'
import { Behavior } from '../scenario-file/behavior.ts'
import type { RememberedRow } from '../store/behavior-state.ts'
import type { Store } from '../store/store.ts'

const Count = z.int().min(0)
const Signature = z.enum(['stale', 'wrong-secret', 'tampered', 'missing'])

/** By the first word of the kind: some kinds end with the number of the behavior that they belong to. */
const VALUES: Readonly<Record<string, z.ZodType>> = {
  armed: z.object({ id: z.string(), behavior: z.unknown(), armedAt: z.int(), permanent: z.boolean() }),
  counts: z.object({ matched: Count, fired: Count }),
  windows: z.object({ startedAt: z.int(), requests: Count }),
  reads: z.int().min(1),
  gate: z.string(),
  attempts: Count,
  unnamed: Count,
  chances: z.tuple([z.int(), z.int(), z.int(), z.int()]),
  signature: Signature,
  'held-back': z.object({
    copies: Count,
    afterMs: Count,
    afterNextEvent: z.boolean(),
    sign: Signature.optional(),
  }),
}

export function requireReadableMemory({ behaviorState, events }: Store): void {
  for (const row of behaviorState.list()) {
    const why = whyUnreadable(row)
    if (why !== undefined) throw invalidSnapshot(why)
    if (row.kind === 'held-back' && !events.find(row.name)) {
      throw invalidSnapshot('a delivery is held back of an event that is not there')
    }
  }
}

function whyUnreadable({ kind, value }: RememberedRow): string | undefined {
  const schema = VALUES[kind.split(' ', 1)[0]!]
  const given = parsed(value)
  if (!schema?.safeParse(given).success) return `what behaviors remember as ${shortened(kind)} cannot be read`
  if (kind !== 'armed') return undefined
  const { id, behavior } = given as { id: string; behavior: z.input<typeof Behavior> }
  const read = Behavior.safeDecode(behavior)
  if (read.success) return undefined
  const { path, message } = read.error.issues[0]!
  return `the behavior ${shortened(id)} cannot be read: ${path.join('.')} ${message}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
