/** The schemas of a step's expectations, its captures, and how long it retries. */
import { z } from 'zod'
import { HeaderPattern } from './behavior.ts'
import { Expected, Regex } from './matcher-schema.ts'
import { knownMs, RealTime, StepDuration } from './step-duration.ts'

export const ExpectedStatus = z.union(
  [z.int().min(100).max(599), z.enum(['1xx', '2xx', '3xx', '4xx', '5xx', 'any'])],
  {
    error: 'must be a status such as 201, a class such as 2xx, or any',
  },
)

const Counts = z.record(
  z.string().regex(/^[1-5](\d\d|xx)$/, 'must be a status or a class of them'),
  z.int().min(0),
)

const expectations = {
  status: ExpectedStatus.optional().describe(
    'Default 2xx; with sameAs or connection, any. With any, every status passes',
  ),
  json: Expected.optional().describe(
    'What the body must contain. { exists: false }: a body that is not JSON',
  ),
  exact: z.literal(true).optional().describe('json is the whole body, not a part of it'),
  header: HeaderPattern.optional(),
  sameAs: z.string().optional().describe('The step whose response had the same status and bytes'),
  connection: z
    .enum(['reset', 'closed', 'timeout', 'broken'])
    .optional()
    .describe(
      'How the connection failed. reset: RST. closed: before the whole response arrived. timeout: no response during all of within. broken: the response is not valid HTTP',
    ),
  within: RealTime.optional().describe('How long the response may take, in real time'),
}

const exactNeedsJson = ({ exact, json }: { exact?: true | undefined; json?: unknown }) =>
  exact === undefined || json !== undefined
const EXACT_RULE = { path: ['exact'], error: 'requires json' }

export const ExpectedAnswer = z
  .strictObject(expectations)
  .refine(exactNeedsJson, EXACT_RULE)
  .meta({ id: 'Expect', description: 'The expected response' })
export type ExpectedAnswer = z.infer<typeof ExpectedAnswer>

/** The expectation of several responses: each must match, or the statuses are counted. */
export const ExpectOfMany = z
  .strictObject({
    ...expectations,
    status: z
      .union([ExpectedStatus, Counts], {
        error: 'must be a status, a class such as 2xx, any, or a count of each: { 201: 1, 409: 9 }',
      })
      .optional()
      .describe('The status of all responses, or a count of each status'),
  })
  .refine(exactNeedsJson, EXACT_RULE)
  .meta({ id: 'ExpectOfMany', description: 'The expected response; of concurrent calls, each response' })
export type ExpectOfMany = z.infer<typeof ExpectOfMany>

const CapturePath = z
  .string()
  .regex(
    /^(\$((\.[\w-]+)|(\[(\d+|\*)\])|(\["[^"]*"\]))*|header\.[\w-]+)$/,
    'must be a path such as $.id, $.data[0].id, $.data[*].id or header.location',
  )

export const Capture = z
  .record(
    z
      .string()
      .regex(
        /^(?!(?:uuid|env)$)[A-Za-z_][\w-]*(\[\])?$/,
        'must be a name of letters, digits, _ and -, with [] for a list',
      ),
    z.union([CapturePath, z.strictObject({ from: CapturePath, regex: Regex })]),
  )
  .meta({
    id: 'Capture',
    description:
      'Captures values: checkout: $.id defines ${checkout}. ids[]: $.data[*].id adds to the list ids. code: { from: $.body, regex: "[0-9]{6}" } captures the match of a regular expression; an object or a list is searched as JSON. header.location is a header',
    examples: [{ checkout: '$.id' }],
  })
export type Capture = z.infer<typeof Capture>

/** A call repeated more often than this is a mistake in its times. */
const MAX_CALLS = 1_000

export const isTooOften = (withinMs: number, everyMs: number): boolean => withinMs > everyMs * MAX_CALLS
export const TOO_OFTEN = `must be longer: within would take more than ${MAX_CALLS} calls`

/** A time with a captured value is checked when the step is played. */
const isRare = ({ within, every }: { within: string; every: string }) =>
  !isTooOften(knownMs(within) ?? 0, knownMs(every) ?? Number.POSITIVE_INFINITY)
const RARE_RULE = { path: ['every'], error: TOO_OFTEN }

export const Eventually = z
  .strictObject({
    within: RealTime.default('10s').describe('How long to retry the call, in real time'),
    every: RealTime.default('250ms').describe('How long to wait between attempts'),
  })
  .refine(isRare, RARE_RULE)
  .meta({ id: 'Eventually', description: 'Retries the call until the expectation is met' })

export const Until = z
  .strictObject({
    ...expectations,
    within: StepDuration.default('1m').describe(
      "The longest wait: on the sandbox's clock if it is frozen, otherwise in real time",
    ),
    every: StepDuration.default('1s')
      .refine((every) => knownMs(every) !== 0, 'must be longer than 0')
      .describe('How much time passes between two calls; a frozen clock is moved by this much'),
  })
  .refine(exactNeedsJson, EXACT_RULE)
  .refine(
    ({ within, every, ...awaited }) => Object.values(awaited).some((value) => value !== undefined),
    'must describe the expected response, such as { json: { status: completed } }',
  )
  .refine(isRare, RARE_RULE)
  .meta({ id: 'Until', description: 'Repeats the call until its response matches' })
export type Until = z.infer<typeof Until>
