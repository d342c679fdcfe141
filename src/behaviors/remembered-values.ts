/** What each kind of remembered value looks like: a database from elsewhere may hold anything. */
import { z } from 'zod'
import { DURATION_MAX_MS } from '../contract/duration.ts'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { lazyArming } from './lazy-arming.ts'

const Count = z.int().min(0)
const Word32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)

/** Where none is armed, it is not asked for. */
const Armed = z.lazy(() => lazyArming.loaded.Behavior)

const KINDS: readonly [RegExp, z.ZodType][] = [
  [/^random numbers$/, z.tuple([Word32, Word32, Word32, Word32])],
  [/^behaviors without an id$/, Count],
  [/^armed$/, z.strictObject({ id: z.string(), behavior: Armed, armedAt: Count, permanent: z.boolean() })],
  [/^attempts of a magic order$/, Count],
  [
    /^held back delivery$/,
    z.strictObject({
      copies: Count.max(TESTER_LIMITS.duplicates.max),
      afterMs: Count.max(DURATION_MAX_MS),
      afterNextEvent: z.boolean(),
      sign: z.enum(['stale', 'wrong-secret', 'tampered', 'missing']).optional(),
    }),
  ],
  [/^signature fault$/, z.enum(['stale', 'wrong-secret', 'tampered', 'missing'])],
  [/^reads left of a refund$/, Count],
  [/^gate of a refund$/, z.string()],
  [/^counts of \d+$/, z.strictObject({ matched: Count, fired: Count })],
  [/^rate windows of \d+$/, z.strictObject({ startedAt: Count, requests: Count })],
]

export const isRemembered = (kind: string, value: unknown): boolean =>
  KINDS.find(([name]) => name.test(kind))?.[1].safeParse(value).success ?? false
