import { CLIENT_LEFT, type ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'
import type { RecordedRequest, WrittenStep } from './session.ts'

/** What a client sees of each connection fault, as a step's `expect`; undefined where the answer arrives whole. */
const SEEN_BY_CLIENT: Record<ConnectionFaultKind, ((status: number | null) => WrittenStep) | undefined> = {
  reset: () => ({ connection: 'reset' }),
  close: () => ({ connection: 'closed' }),
  hang: () => ({ connection: 'timeout', within: '300ms' }),
  truncate: (status) => ({ status, connection: 'closed' }),
  'bad-json': (status) => ({ status, json: { exists: false } }),
  'bad-chunk': () => ({ connection: 'broken' }),
  drip: undefined,
}

/** Undefined for a request whose answer arrived whole. */
export const expectedLoss = ({ ending, answered }: RecordedRequest): WrittenStep | undefined =>
  ending === null || ending === CLIENT_LEFT ? undefined : SEEN_BY_CLIENT[ending]?.(answered?.status ?? null)
