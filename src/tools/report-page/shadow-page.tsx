/** The page of `paysim shadow --report html=FILE`: what a profile would say, and each request with both answers. */

import { StatusBadge, TimeCell } from '../../pages/dashboard/blocks.tsx'
import type { ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import {
  BothAnswers,
  differText,
  LearnedKeys,
  WhereTheyPart,
} from '../../pages/dashboard/shadow-exchanges.tsx'
import { renderPage } from '../../pages/frame.tsx'
import { ReportDocument } from '../checks/document.tsx'
import type { ShadowList } from '../shadow/shadow-list.ts'
import { withoutBodies } from '../shadow/shadowed.ts'

/** A page with more of them takes a browser seconds to open; the JSON report has all. */
const SHOWN = 1_000

/** Each character of a body becomes several of the page. */
const BODIES_MAX_CHARS = 4 * 1024 ** 2

export const shadowPage = (list: ShadowList): string => renderPage(<ShadowPage list={list} />)

function ShadowPage({ list }: { list: ShadowList }) {
  const shown = withBodiesOfLatest(list.exchanges.slice(-SHOWN))
  const began = shown[0] && new Date(shown[0].at).toISOString()
  return (
    <ReportDocument title="Beside the real service" command="paysim shadow" at={began}>
      <p>
        {differText(list, SHOWN)} The service is <code>{list.target}</code>.
      </p>
      <LearnedKeys list={list} />
      <h2>Requests</h2>
      <ol class="exchanges">
        {shown.map((exchange) => (
          <li>
            <ExchangeDetails exchange={exchange} />
            <WhereTheyPart differences={list.differencesOf(exchange)} notes={exchange.notes} />
          </li>
        ))}
      </ol>
    </ReportDocument>
  )
}

function withBodiesOfLatest(exchanges: readonly ShadowedExchange[]): ShadowedExchange[] {
  let chars = 0
  const latestFirst = exchanges.toReversed().map((exchange) => {
    const { body = '', theirs, ours } = exchange
    chars += body.length + theirs.body.length + ours.body.length
    return chars > BODIES_MAX_CHARS ? withoutBodies(exchange) : exchange
  })
  return latestFirst.reverse()
}

/** The statuses there and here, and both answers when it is opened. */
function ExchangeDetails({ exchange }: { exchange: ShadowedExchange }) {
  const { method, target, theirs, ours, at } = exchange
  return (
    <details class="exchange">
      <summary>
        <StatusBadge status={theirs.status} />
        <StatusBadge status={ours.status} />
        <span class="target">
          <b>{method}</b> {target}
        </span>
        <TimeCell at={new Date(at).toISOString()} />
      </summary>
      <div class="stack">
        <BothAnswers exchange={exchange} />
      </div>
    </details>
  )
}
