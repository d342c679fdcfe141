/**
 * The exchanges of a scenario. A paysim's journal has all of them, with each step of the door; of any other
 * service the player knows only what it sent and received.
 */

import type { RequestMoment } from '../../pages/dashboard/timeline-model.ts'
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
