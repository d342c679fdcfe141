/** The input and the output of a recording. */

import type { z } from 'zod'
import type { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import type { AnswerLoss } from '../../spec/contract/connection-fault.ts'
import type { DelayOption } from '../../spec/contract/resources/timed.ts'
import type { Asked, Exchange } from '../../spec/exchange.ts'

/** With the parts of its journal entry that a recording uses. */
export interface RecordedRequest extends Exchange<Asked & { readonly body: string }, AnswerLoss> {
  id: string
  key: string | null
  /** How a request outside the endpoints was answered. */
  stub: 'answered' | 'forwarded' | null
  /** The door's step that answered. */
  step: string
  verdict: string | null
  /** The ids of the behaviors that acted on it. */
  fired: readonly string[]
  /** The resource that it was about, in its state before. */
  before: Readonly<Record<string, unknown>> | null
  events: readonly { id: string; type: string; resourceId: string }[]
}

/** An event of the sandbox. An event caused by a buyer or the clock belongs to no request. */
export interface RecordedEvent {
  id: string
  type: string
  timestamp: string
  data: { id: string } & Readonly<Record<string, unknown>>
}

export interface Session {
  name: string
  /** Every known request in the order of arrival. */
  requests: readonly RecordedRequest[]
  /** The ids of the requests to record; default: all. */
  chosen?: readonly string[]
  events: readonly RecordedEvent[]
  /** How long each timed move takes, by its option. */
  delays: Readonly<Record<DelayOption, string>>
  /** The clock was frozen: each gap between requests was made by a tester. */
  frozen?: boolean | undefined
  /** Its other options that the played sandbox needs. */
  options: object
  /** Steps after the last request, such as the sums of the ledger. */
  closing?: readonly WrittenStep[] | undefined
  /**
   * The behaviors that acted in the session, each with an id. The file arms them, and the requests are written with their
   * original ids and keys, but without an `X-Sim` for what these behaviors did.
   */
  armed?: readonly ArmedInSession[] | undefined
  /** What goes wrong in it, in a sentence. */
  why?: string | undefined
}

export interface Recording {
  yaml: string
  /** False if no request is left that can be a step. */
  recorded: boolean
  steps: number
  /** The ids of requests that were added because the chosen ones depend on them. */
  added: string[]
  /** The requests that cannot be steps, and why. */
  leftOut: { id: string; why: string }[]
}

/** A behavior in the form of a file. */
export type ArmedInSession = z.input<typeof Behavior> & { id: string }

/** A step of the file as it is written. */
export type WrittenStep = Record<string, unknown>
