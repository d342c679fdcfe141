/** The pages about more than the requests and the data of one sandbox: what each shows of the simulator. */

import { operationsUnder } from '../../service/operations/table.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { inTurns } from '../../tester/control/turns.ts'
import { ComparePage } from './compare.tsx'
import { compareSandboxes } from './compare-sandboxes.ts'
import { comparedSandbox, resourcesByKind } from './page-data.ts'
import { contractUnder, inPath, type PageRequest, type Reply, ROWS_SHOWN } from './page-request.ts'
import { ReferencePage } from './reference.tsx'
import { SandboxesPage } from './sandboxes.tsx'
import { HEADERS } from './send-page.ts'
import { unknownPage } from './sentence-pages.tsx'
import { BothAnswersPage, RealServicePage } from './shadow-exchanges.tsx'

export const sandboxesReply = ({ control, view, dashboard: { sandboxes } }: PageRequest): Reply => ({
  page: (
    <SandboxesPage
      view={view}
      description={control.describe()}
      snapshots={control.snapshots.list()}
      all={sandboxes.list({ limit: ROWS_SHOWN }).data}
      count={sandboxes.sandboxes().length}
    />
  ),
})

/** Compares with another sandbox of this simulator. */
export async function compareReply({ c, control, view, dashboard }: PageRequest): Promise<Reply> {
  const other = dashboard.sandboxes.find(c.req.query('with') ?? DEFAULT_SANDBOX)
  const first = await inTurns(() => resourcesByKind(control))
  const second = await inTurns(() => resourcesByKind(other))
  const kinds = await inTurns(() => compareSandboxes(first.resources, second.resources))
  return {
    page: (
      <ComparePage
        view={view}
        first={await comparedSandbox(control)}
        second={await comparedSandbox(other)}
        kinds={kinds}
        cut={first.cut || second.cut}
      />
    ),
  }
}

/** The file of a snapshot. */
export function snapshotReply({ c, control }: PageRequest): Reply {
  const parts = control.readSnapshot(inPath(c, 'name'))
  return c.body(ReadableStream.from(parts), 200, { ...HEADERS, 'Content-Type': 'application/vnd.sqlite3' })
}

export const referenceReply = ({ control, view }: PageRequest): Reply => ({
  page: (
    <ReferencePage
      view={view}
      operations={operationsUnder(contractUnder(control))}
      magic={control.magic()}
      decisions={control.decisions()}
    />
  ),
})

export const realServiceReply = ({ c, view, dashboard: { shadow } }: PageRequest): Reply =>
  shadow && view.hasRealService ? { page: <RealServicePage view={view} list={shadow} /> } : unknownPage(c)

export function bothAnswersReply({ c, view, dashboard: { shadow } }: PageRequest): Reply {
  const exchange = view.hasRealService ? shadow?.find(Number(c.req.param('number'))) : undefined
  if (!shadow || !exchange) return unknownPage(c)
  return { page: <BothAnswersPage view={view} list={shadow} exchange={exchange} /> }
}
