import type { RecordedRequest, WrittenStep } from './session.ts'

/** What a client sees of each connection fault, as a step's `expect`. A `drip` is missing: its answer arrives whole. */
const SEEN_BY_CLIENT: Record<string, (status: number | null) => WrittenStep> = {
  reset: () => ({ connection: 'reset' }),
  close: () => ({ connection: 'closed' }),
  hang: () => ({ connection: 'timeout', within: '300ms' }),
  truncate: (status) => ({ status, connection: 'closed' }),
  'bad-json': (status) => ({ status, json: { exists: false } }),
  'bad-chunk': () => ({ connection: 'broken' }),
}

/** Undefined for a request whose answer arrived whole. */
export const expectedLoss = ({ fault, status }: RecordedRequest): WrittenStep | undefined =>
  fault === null ? undefined : SEEN_BY_CLIENT[fault]?.(status)
