/** What a service did: its requests and responses, and the webhooks that it sent. */

import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { Answered, Asked } from '../../spec/exchange.ts'

interface Seen {
  /** Where it was seen, such as `first-refund.yaml step 1`. */
  seenIn: string
  /** The scenario, and not the service, says how long a refund takes. */
  setsDelay?: boolean
}

export interface RecordedExchange extends Seen {
  asked: Asked
  theirs: Answered
  /** When it was asked, in milliseconds since 1970. */
  at?: number | undefined
}

/** A response that is parsed once, however often it is read. */
export type ReadAnswer = Answered & { readonly json: unknown }

export const readAnswer = <Given extends Answered>(answered: Given): Given & ReadAnswer => ({
  ...answered,
  json: jsonIn(answered.body),
})

/** A recorded exchange with the response of our side, if it was played there. */
export interface ServiceExchange extends Seen {
  /** In the words of the defaults, as far as they were known. */
  asked: Asked
  /** Path and query as they were sent; default: those of `asked`. */
  sentTo?: string | undefined
  /** As the service sent it. */
  theirs: ReadAnswer
  /** In the words of the defaults. */
  ours?: ReadAnswer | undefined
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
  /** Our events in the words of the defaults and in their order, to compare with those of the webhooks. */
  ownEvents?: readonly unknown[]
}

/** The exchanges of a file or a proxy. */
export interface RecordedTraffic {
  /** Of the file, or the address of the service. */
  name: string
  exchanges: readonly RecordedExchange[]
  webhooks: readonly SentWebhook[]
}

/** What a refusal says, in any words. */
export const refusalMessage = (json: unknown): string | undefined =>
  isObject(json) && typeof json.message === 'string' ? json.message : undefined

export const isSuccess = ({ status }: Answered): boolean => status >= 200 && status < 300

export type JsonFields = Readonly<Record<string, unknown>>
