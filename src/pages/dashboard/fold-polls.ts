/**
 * Shows polls of one resource as one row: a platform that waits for a refund asks for it fifty times, which
 * would hide everything else.
 */
import type { RequestSummary } from '../../tester/control/shapes.ts'

export interface RequestRow {
  request: RequestSummary
  /** Earlier requests with the same question and the same answer, newest first. */
  polls: RequestSummary[]
}

/**
 * `requests`: newest first. Polls of several resources may alternate. Any other request between them ends the
 * row, so that the order of a poll and a change stays visible.
 */
export function foldPolls(requests: readonly RequestSummary[]): RequestRow[] {
  const rows: RequestRow[] = []
  let open = new Map<string, RequestRow>()
  for (const request of requests) {
    const poll = pollOf(request)
    const row = poll === undefined ? undefined : open.get(poll)
    if (row) row.polls.push(request)
    else {
      const begun: RequestRow = { request, polls: [] }
      rows.push(begun)
      if (poll === undefined) open = new Map()
      else open.set(poll, begun)
    }
  }
  return rows
}

/** The resource that a request polls; undefined for a request that gets a row of its own. */
function pollOf(request: RequestSummary): string | undefined {
  const { method, target, status, message, fault, fired, operation } = request
  const isPlain = status !== null && fault === null && fired.length === 0
  return method === 'GET' && operation !== null && isPlain ? `${status} ${target} ${message}` : undefined
}
