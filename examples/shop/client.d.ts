/** The types of client.js, to be copied with it. */
export interface PaymentsErrorDetails {
  /** `refused`: nothing happened. `unknown`: no response in time; call again with the same key. */
  outcome: 'refused' | 'unknown'
  status?: number
  body?: unknown
  key?: string
}

export declare class PaymentsError extends Error implements PaymentsErrorDetails {
  outcome: 'refused' | 'unknown'
  status?: number
  body?: unknown
  key?: string
  constructor(message: string, about: PaymentsErrorDetails)
}

export interface PaymentsClientOptions {
  url: string
  apiKey: string
  /** How long one attempt may take. */
  timeoutMs?: number
  /** How long all attempts together may take. */
  budgetMs?: number
  /** The pause after the first attempt; it doubles up to `longestPauseMs`. */
  firstPauseMs?: number
  longestPauseMs?: number
}

/** A JSON object of the service. */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows the resource
export type Resource = any

export declare class PaymentsClient {
  constructor(options: PaymentsClientOptions)
  get(path: string): Promise<Resource>
  post(path: string, body?: object, key?: string): Promise<Resource>
}
