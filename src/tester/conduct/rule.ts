/** What a rule of conduct is. */
import type { ConductRule } from '../../spec/contract/conduct-rules.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { Picture } from './picture.ts'

export type Severity = 'error' | 'warning'

/** One thing that a rule found. */
export interface Found {
  what: string
  requests?: readonly string[]
  /** Deliveries, refunds, authorizations and checkouts. */
  about?: readonly string[]
  /** The money at stake, where it can be told. */
  amount?: Cents | null
  /** Only where it differs from the rule's severity. */
  severity?: Severity
}

export interface Rule {
  id: ConductRule
  severity: Severity
  title: string
  /** Why it costs money. */
  costs: string
  /** What to do. */
  todo: string
  /**
   * The rule looks for something that the client did not do, or for a connection that it closed. Where the client was ended from
   * outside, neither is its own doing.
   */
  needsTheEnd?: true
  /** The rule judges pauses, which a busy machine makes shorter: an answer arrives late, and the client has waited since it asked. */
  hangsOnTime?: true
  find(picture: Picture): Found[]
}
