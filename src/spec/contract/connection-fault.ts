/**
 * The ways in which a connection fails, the values of `fault:`. All code that depends on the kind of failure reads this table.
 */

export type Arriving = 'nothing' | 'damaged' | 'whole'

interface FaultRow {
  /** How much of the response reaches the client. */
  readonly arrives: Arriving
  /** If the fault makes the client wait long: as long as `over:`, or until the client gives up. */
  readonly lasts?: 'over' | 'patience'
  /** In the journal, such as "resets the connection". */
  readonly does: string
  /** In the schema of scenarios. */
  readonly explained: string
  /** On pages, such as "connection reset". */
  readonly mark: string
}

export const CONNECTION_FAULTS = {
  reset: {
    arrives: 'nothing',
    does: 'resets the connection',
    explained: 'RST',
    mark: 'connection reset',
  },
  close: {
    arrives: 'nothing',
    does: 'closes the connection without a response',
    explained: 'FIN',
    mark: 'connection closed',
  },
  hang: {
    arrives: 'nothing',
    lasts: 'patience',
    does: 'stays silent until the client gives up',
    explained: 'silence until the client gives up',
    mark: 'hangs, never answered',
  },
  crash: {
    arrives: 'nothing',
    does: 'kills the client',
    explained: 'the app of paysim gauntlet --app is killed and started again; elsewhere as reset',
    mark: 'client killed',
  },
  truncate: {
    arrives: 'damaged',
    does: 'breaks off in the middle of the body',
    explained: 'the body is truncated',
    mark: 'answer cut off',
  },
  'bad-json': {
    arrives: 'damaged',
    does: 'sends a body that is not JSON',
    explained: 'the body is not JSON',
    mark: 'broken JSON',
  },
  'bad-chunk': {
    arrives: 'damaged',
    does: 'sends a body that is not HTTP',
    explained: 'the body cannot be read as HTTP',
    mark: 'broken chunk',
  },
  drip: {
    arrives: 'whole',
    lasts: 'over',
    does: 'sends the body slowly',
    explained: 'the body arrives slowly',
    mark: 'slow answer',
  },
} as const satisfies Record<string, FaultRow>

export type ConnectionFaultKind = keyof typeof CONNECTION_FAULTS

/** Faults that last as long as `over:`. */
export type SlowFault = {
  [Kind in ConnectionFaultKind]: (typeof CONNECTION_FAULTS)[Kind] extends { lasts: 'over' } ? Kind : never
}[ConnectionFaultKind]

export const CONNECTION_FAULT_KINDS = Object.keys(CONNECTION_FAULTS) as ConnectionFaultKind[]

export const lastingOf = (fault: ConnectionFaultKind) => (CONNECTION_FAULTS[fault] as FaultRow).lasts

export const isSlow = (fault: ConnectionFaultKind): fault is SlowFault => lastingOf(fault) === 'over'

/** The fate of a response: a fault, or a client that did not wait for it. */
export const CLIENT_LEFT = 'client left'
export type AnswerLoss = ConnectionFaultKind | typeof CLIENT_LEFT

/** How much of a response reaches the client. If the client left, the amount is unknown, and the response counts as damaged. */
export const arrivingUnder = (fault: AnswerLoss | null): Arriving => {
  if (fault === null) return 'whole'
  return fault === CLIENT_LEFT ? 'damaged' : CONNECTION_FAULTS[fault].arrives
}

/**
 * Whether the fault may act before the operation, so that nothing is done. A fault that damages a response needs one, so it acts
 * after the commit.
 */
export const mayActBefore = (fault: ConnectionFaultKind): boolean =>
  CONNECTION_FAULTS[fault].arrives === 'nothing'
