/** Money that moved twice: a call whose outcome was unknown was sent again, and both were carried out. */
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { retriedChainsIn } from './chains.ts'
import { idsOf, sumOf } from './found.ts'
import { type JournaledRequest, movesMoney, type Picture } from './picture.ts'

export interface DoubledMoney {
  /** The checkout or the authorization that it is of, where a request names it. */
  order: string | null
  isRefund: boolean
  /** How often it happened: twice, or more. */
  times: number
  /** What moved beyond the first time; null where it cannot be told. */
  tooMuch: ReturnType<typeof sumOf>
  /** The requests that were carried out. */
  requests: readonly string[]
}

export const doubledMoneyIn = (picture: Pick<Picture, 'requests'>): DoubledMoney[] =>
  retriedChainsIn(picture).flatMap((chain) => {
    const done = chain.filter((one) => movesMoney(one) && one.events.length > 0)
    const [first, ...again] = done
    if (first === undefined || again.length === 0) return []
    return {
      order: first.subject ?? namedIn(first),
      isRefund: ENDPOINTS[first.operation!].what === 'refund',
      times: done.length,
      tooMuch: sumOf(again.map(({ amount }) => amount)),
      requests: idsOf(done),
    }
  })

const namedIn = ({ json: { checkoutId, authorizationId } }: JournaledRequest): string | null => {
  const named = checkoutId ?? authorizationId
  return typeof named === 'string' ? named : null
}
