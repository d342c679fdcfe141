/** The pages about the simulator, not about one sandbox. */

import { inPath, type PageRequest, type Reply } from './page-request.ts'
import { HEADERS } from './send-page.ts'
import { unknownPage } from './sentence-pages.tsx'
import { BothAnswersPage, RealServicePage } from './shadow-exchanges.tsx'

/** The file of a snapshot. */
export function snapshotReply({ c, control }: PageRequest): Reply {
  const parts = control.readSnapshot(inPath(c, 'name'))
  return c.body(ReadableStream.from(parts), 200, { ...HEADERS, 'Content-Type': 'application/vnd.sqlite3' })
}

export const realServiceReply = ({ c, view, dashboard: { shadow } }: PageRequest): Reply =>
  shadow && view.hasRealService ? { page: <RealServicePage view={view} list={shadow} /> } : unknownPage(c)

export function bothAnswersReply({ c, view, dashboard: { shadow } }: PageRequest): Reply {
  const exchange = view.hasRealService ? shadow?.find(Number(c.req.param('number'))) : undefined
  if (!shadow || !exchange) return unknownPage(c)
  return { page: <BothAnswersPage view={view} list={shadow} exchange={exchange} /> }
}
