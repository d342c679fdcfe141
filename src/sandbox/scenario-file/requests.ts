/** The schema of an expectation about requests: which are counted and how they relate. For steps and the tester's `verify`. */
import { z } from 'zod'
import type { Written } from '../../spec/contract/written.ts'
import { DurationOrMs } from '../../spec/options/values.ts'
import { Call, Op, Stub } from './call-pattern.ts'
import { checkCountedOnce, countFields } from './count.ts'
import { Expected, Matcher, TextOrMatcher } from './matcher-schema.ts'

const STATUS_RULE = 'must be a status such as 409 or 4xx'
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

const Same = z.enum(['same', 'different'])

/** An omitted field allows every value. */
export const expectationFields = {
  op: Op.optional(),
  call: Call.optional(),
  stub: Stub.optional(),
  key: TextOrMatcher.optional().describe('The Idempotency-Key: a text or a matcher'),
  json: Expected.optional().describe('What the body must contain; values may be matchers'),
  header: z
    .record(z.string(), TextOrMatcher)
    .optional()
    .describe('Journaled headers, by case-insensitive name; each a text or a matcher'),
  status: z
    .union([z.int().min(100).max(599), z.enum(STATUS_CLASSES), Matcher], {
      error: STATUS_RULE,
    })
    .optional()
    .describe('The status, such as 409 or `4xx`, or a matcher'),
  ...countFields,
  keys: Same.optional().describe(
    'Whether all of them have the same Idempotency-Key, or all have different ones',
  ),
  bodies: Same.optional().describe('Whether all of them have identical bodies, or all have different ones'),
  apart: DurationOrMs.optional().describe(
    "The minimum time between consecutive requests, on the sandbox's clock",
  ),
  order: z
    .array(z.union([Op, Call], { error: 'must be an operation, or a method and a path' }))
    .min(2)
    .optional()
    .describe(
      'Operations or calls in the order of their first requests; a repeated one must occur that often',
    ),
}

export const RequestExpectation = z
  .strictObject(expectationFields)
  .superRefine(checkCountedOnce)
  .meta({ id: 'Expectation' })

/** All conditions must hold. */
export type RequestExpectation = Written<typeof RequestExpectation>
