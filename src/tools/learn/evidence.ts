/** The evidence to learn from: a service's requests and answers, and the webhooks that it sent. */

import { isObject } from '../../spec/contract/parsed-json.ts'
import type { Answered, Asked } from '../../spec/exchange.ts'
import type { Secrets } from '../../spec/secrets.ts'

interface Seen {
  /** Where it was seen, such as `first-refund.yaml step 1`. */
  seenIn: string
  /** The scenario, and not the service, says how long a refund takes. */
  setsDelay?: boolean
}

export interface ServiceExchange extends Seen {
  /** In the words of the defaults, even if it was sent in those of the service, as far as they were known. */
  asked: Asked
  /** Path and query as they were sent; left out, those of `asked`. */
  sentTo?: string | undefined
  theirs: Answered
  /** The answer of our sandbox to the same request, if it was played there. */
  ours?: Answered | undefined
}

export interface SentWebhook extends Seen {
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** Needed to learn the signature. */
  secret?: string | undefined
}

export interface ServiceEvidence {
  exchanges: readonly ServiceExchange[]
  webhooks: readonly SentWebhook[]
}

/** The exchange without these secrets, wherever they stand in it. */
export const hiddenIn = (exchange: ServiceExchange, secrets: Secrets): ServiceExchange =>
  JSON.parse(JSON.stringify(exchange), (_, value) =>
    typeof value === 'string' ? secrets.hide(value) : value,
  )

/** What a refusal says, in any words. */
export const refusalMessage = (json: unknown): string | undefined =>
  isObject(json) && typeof json.message === 'string' ? json.message : undefined

export type JsonFields = Readonly<Record<string, unknown>>
