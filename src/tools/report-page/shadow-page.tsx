/** What the page of `paysim shadow --report html=FILE` shows: what a profile would say, and of each request both answers. */

import type { ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import { BothAnswers, LearnedKeys, WhereTheyPart } from '../../pages/dashboard/shadow-exchanges.tsx'
import { htmlReport } from '../checks/page.tsx'
import { SHOWN, shadowReport } from '../shadow/report.ts'
import type { ShadowList } from '../shadow/shadow-list.ts'
import { withoutBodies } from '../shadow/shadowed.ts'

/** Bodies beyond this total are left out: each character becomes several of the page. */
const BODIES_MAX_CHARS = 4 * 1024 ** 2

export function shadowPage(list: ShadowList): string {
  const shown = withBodiesOfLatest(list.exchanges.slice(-SHOWN))
  return htmlReport(shadowReport(list), {
    mend: 'What differs',
    more: <LearnedKeys list={list} />,
    details: (_, { index }) => (
      <>
        <WhereTheyPart differences={list.differencesOf(shown[index]!)} notes={shown[index]!.notes} />
        <BothAnswers exchange={shown[index]!} />
      </>
    ),
  })
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
