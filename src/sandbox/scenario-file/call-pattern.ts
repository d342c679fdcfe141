/** How scenarios and testers name requests: by an operation, or by method and path. */
import { z } from 'zod'
import {
  type CallPattern,
  callMistake,
  ENDPOINT_CALLS,
  OPERATION_PATTERNS,
  stubMistake,
} from '../../spec/contract/endpoints.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { typedAs } from '../../spec/contract/wire.ts'

export const Op = z
  .enum(OPERATION_PATTERNS, 'must be an operation such as refunds.create or checkouts.*')
  .meta({ id: 'OperationPattern', description: 'An operation; * for any, as in checkouts.* or *.create' })

const callPattern = (
  mistakeOf: (call: string) => string | undefined,
  meta: { id: string; description: string; examples: readonly string[] },
) =>
  typedAs<CallPattern>(
    z
      .string()
      .max(TESTER_LIMITS.nameChars.max)
      .superRefine((call, context) => {
        const message = mistakeOf(call)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      })
      .meta(meta),
  )

export const Call = callPattern(callMistake, {
  id: 'Call',
  description: 'Method and path: {id} and * stand for one segment, ** for the rest, * for any method',
  examples: ENDPOINT_CALLS,
})

export const Stub = callPattern(stubMistake, {
  id: 'Stub',
  description: 'Method and path of a stub: any path under /v1 that is not an endpoint',
  examples: ['GET /v1/balance'],
})
