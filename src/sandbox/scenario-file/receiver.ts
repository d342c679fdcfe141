/** The schema of the answers of the player's own webhook endpoint. */
import { z } from 'zod'
import { Duration } from '../../spec/contract/duration.ts'
import { WEBHOOK_ATTEMPT_TIMEOUT_MS } from '../../spec/contract/limits.ts'
import { HeaderName, HeaderValue } from './header.ts'
import { unlessOneOf } from './union-rule.ts'

const MAX_ANSWERS = 100

const Status = z.int().min(200).max(599)

const FullAnswer = z
  .strictObject({
    status: Status.optional().describe('Of the answer; left out, 204'),
    after: Duration.refine((ms) => ms <= 2 * WEBHOOK_ATTEMPT_TIMEOUT_MS, 'must be at most 30s')
      .optional()
      .describe('Answers after this long, in real time'),
    close: z.literal(true).optional().describe('Closes the connection without an answer'),
    headers: z.record(HeaderName, HeaderValue).optional().describe('Of the answer'),
    redirect: HeaderValue.optional().describe('Answers 307 with this address, or with the status beside it'),
  })
  .refine(({ close, status, headers, redirect }) => !close || (status ?? headers ?? redirect) === undefined, {
    path: ['close'],
    error: 'cannot be combined with an answer: there is none',
  })

const Answer = z
  .union([Status, FullAnswer], {
    error: unlessOneOf(
      ['number', 'object'],
      'must be a status such as 500, or { status, after, close, headers, redirect }',
    ),
  })
  .transform((given) => (typeof given === 'number' ? { status: given } : given))

/** The first attempt of each event gets the first answer, the second one the second, and further ones the last. */
export const ReceiverScript = z
  .array(Answer)
  .min(1)
  .max(MAX_ANSWERS)
  .meta({
    id: 'Receiver',
    description:
      "What the player's webhook endpoint answers to the attempts of each event, the last of them also to all further ones. Left out, 204",
    examples: [[500, 500, 500, 200]],
  })

export type ReceiverAnswer = z.output<typeof FullAnswer>
