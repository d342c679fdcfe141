/**
 * The exchanges of a scenario. A paysim's journal has all of them, with each step of the door; of any other
 * service the player knows only what it sent and received.
 */

import { StatusBadge, TimeCell } from '../../pages/dashboard/blocks.tsx'
import type { Links } from '../../pages/dashboard/links.ts'
import { RequestBehaviors, RequestChanges, RequestPath, SentBytes } from '../../pages/dashboard/request.tsx'
import { marksOf } from '../../pages/dashboard/request-rows.tsx'
import { whyNoBody } from '../../pages/dashboard/send-again.ts'
import type { RequestMoment } from '../../pages/dashboard/timeline-model.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Exchange } from '../../spec/exchange.ts'
import { exchangeOf } from '../../tester/control/exchange-of.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { exchangesOfStep, type FileResult } from '../player/result.ts'

export interface ShownExchange extends Exchange {
  id: string
  /** Undefined where it was played against no paysim. */
  explained: RequestExplained | undefined
}

export const exchangesOf = ({ record, steps }: FileResult): ShownExchange[] =>
  record
    ? record.requests.map(journaled)
    : steps.flatMap((step) =>
        exchangesOfStep(step).map((exchange, index, { length }) => {
          const id = `step-${step.place}${length === 1 ? '' : `-${index + 1}`}`
          return { ...exchange, id, explained: undefined }
        }),
      )

const journaled = (explained: RequestExplained): ShownExchange => ({
  ...exchangeOf(explained),
  id: explained.id,
  explained,
})

/** An exchange as a timeline shows it, where no journal says more. */
export const momentOf = ({ explained: _, ...exchange }: ShownExchange): RequestMoment => ({
  ...exchange,
  kind: 'request',
  status: exchange.answered?.status ?? null,
  reached: 'operation',
  key: exchange.asked.headers['idempotency-key'] ?? null,
  replayed: false,
  arrives: exchange.ending === null ? 'whole' : exchange.answered === null ? 'nothing' : 'damaged',
  behaviors: [],
  effects: [],
})

type ExchangeProps = { exchange: ShownExchange; anchor: string; links: Links }

/** One exchange, folded: its request, its answer, and what the journal says of it. */
export function ExchangeDetails({ exchange, anchor, links }: ExchangeProps) {
  const { at, asked, answered, ending, explained } = exchange
  const { method, target } = asked
  const order = links.orderName(explained?.subject ?? explained?.events[0]?.resourceId ?? '')
  // The journal has the status even if the answer was lost.
  const status = explained ? explained.status : (answered?.status ?? null)
  return (
    <details class="exchange">
      <summary>
        <StatusBadge status={status} fault={ending} />
        {order !== undefined && <b>{order}</b>}
        <span class="target">
          <b>{method}</b>{' '}
          {target
            .split('/')
            .map((part) => links.short(part))
            .join('/')}
        </span>
        {explained && marksOf(explained).map(({ text, tone }) => <span class={`chip ${tone}`}>{text}</span>)}
        {!explained && ending !== null && <span class="chip wait">{ending}</span>}
        <TimeCell at={formatInstant(at)} />
      </summary>
      <div class="stack" id={anchor}>
        {explained && (
          <>
            <p>{explained.summary}</p>
            <RequestPath request={explained} of={anchor} />
            <RequestBehaviors request={explained} />
            <RequestChanges request={explained} links={links} />
          </>
        )}
        <h3>
          {method} {target}
        </h3>
        <SentBytes
          sent={{ ...asked, body: asked.body ?? '' }}
          links={links}
          label={anchor}
          none={explained && whyNoBody(explained)}
        />
        <h3>{status === null ? 'No answer' : `Answer ${status}`}</h3>
        {answered && <SentBytes sent={answered} links={links} label={`answer to ${anchor}`} />}
      </div>
    </details>
  )
}
