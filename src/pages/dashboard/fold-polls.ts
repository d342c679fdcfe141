/** Polls of one resource as one row: a platform that waits for a refund asks for it fifty times, and nothing else is seen. */
import type { RequestSummary } from '../../tester/control/shapes.ts'

export interface RequestRow {
  request: RequestSummary
  /** Earlier requests that asked for the same and were answered alike, newest first. */
  polls: RequestSummary[]
}

/**
 * `requests`: newest first. Polls of several resources may alternate; any other request between them ends the row, as the
 * order of a poll and of what changed the resource has to be seen.
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

/** What a request polls; undefined for one that is told in a row of its own. */
function pollOf(request: RequestSummary): string | undefined {
  const { method, target, status, message, fault, fired, operation } = request
  const isPlain = status !== null && fault === null && fired.length === 0
  return method === 'GET' && operation !== null && isPlain ? `${status} ${target} ${message}` : undefined
}
