/** The schema of the responses that the player's webhook endpoint sends. */
import { z } from 'zod'
import { Duration } from '../../spec/contract/duration.ts'
import { WEBHOOK_ATTEMPT_TIMEOUT_MS } from '../../spec/contract/limits.ts'
import { HeaderName, HeaderValue } from './header.ts'
import { unlessOneOf } from './union-rule.ts'

const MAX_ANSWERS = 100

const Status = z.int().min(200).max(599)

const FullAnswer = z
  .strictObject({
    status: Status.optional().describe('The status of the response; default: 204'),
    after: Duration.refine((ms) => ms <= 2 * WEBHOOK_ATTEMPT_TIMEOUT_MS, 'must be at most 30s')
      .optional()
      .describe('Responds after this long, in real time'),
    close: z.literal(true).optional().describe('Closes the connection without a response'),
    headers: z.record(HeaderName, HeaderValue).optional().describe('The headers of the response'),
    redirect: HeaderValue.optional().describe('Redirects to this address, with 307 or the given status'),
  })
  .refine(({ close, status, headers, redirect }) => !close || (status ?? headers ?? redirect) === undefined, {
    path: ['close'],
    error: 'cannot be combined with a response: there is none',
  })

const Answer = z
  .union([Status, FullAnswer], {
    error: unlessOneOf(
      ['number', 'object'],
      'must be a status such as 500, or { status, after, close, headers, redirect }',
    ),
  })
  .transform((given) => (typeof given === 'number' ? { status: given } : given))

/** The first attempt of each event gets the first response, the second attempt the second, and further attempts the last. */
export const ReceiverScript = z
  .array(Answer)
  .min(1)
  .max(MAX_ANSWERS)
  .meta({
    id: 'Receiver',
    description:
      "The responses of the player's webhook endpoint to the attempts of each event; the last one repeats. Default: 204",
    examples: [[500, 500, 500, 200]],
  })

export type ReceiverAnswer = z.output<typeof FullAnswer>
