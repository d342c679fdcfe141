/** Groups requests that are attempts at the same call. */
import { groupBy } from '../../spec/grouping.ts'
import {
  endedMs,
  isRetryable,
  type JournaledRequest,
  oncePerPicture,
  type Picture,
  scopedKeyOf,
} from './picture.ts'

/**
 * Chains of consecutive attempts at the same call; each but the last got a response that justifies a retry. A key names one
 * intent: two equal refunds under two keys are two chains. A request with a new key continues a chain only if the chain's key is
 * never sent again: then the client used a new key for its retry.
 */
export const chainsIn = oncePerPicture(({ requests }: Pick<Picture, 'requests'>) => {
  // Calls that never had a retryable answer need no chains: no rule asks about them.
  const tried = new Set(requests.filter(isRetryable).map(({ call }) => call))
  return [...groupBy(requests, ({ call }) => (tried.has(call) ? call : null)).values()].flatMap(chainsOfCall)
})

/** Chains with at least one retry. */
export const retriedChainsIn = oncePerPicture((picture: Pick<Picture, 'requests'>) =>
  chainsIn(picture).filter(({ length }) => length > 1),
)

function chainsOfCall(group: readonly JournaledRequest[]): JournaledRequest[][] {
  const lastOfKey = new Map(group.map((request) => [scopedKeyOf(request), request]))
  const seen = new Set<string | null>()
  const chains: JournaledRequest[][] = []
  /** Chains whose last attempt may be followed by a retry. */
  let open: JournaledRequest[][] = []
  for (const request of group) {
    const key = scopedKeyOf(request)
    const isNewKey = !seen.has(key)
    seen.add(key)
    const chain = open.findLast((attempts) => {
      const before = attempts.at(-1)!
      if (!isAfter(before, request)) return false
      const keyBefore = scopedKeyOf(before)
      return keyBefore === key || (isNewKey && lastOfKey.get(keyBefore) === before)
    })
    if (chain) chain.push(request)
    else chains.push([request])
    if (chain && !isRetryable(request)) open = open.filter((attempts) => attempts !== chain)
    if (!chain && isRetryable(request)) open.push(chains.at(-1)!)
  }
  return chains
}

/** Concurrent requests are not retries. After a client has left, the end of its request does not matter. */
const isAfter = (before: JournaledRequest, request: JournaledRequest) =>
  before.clientLeft || request.begunMs >= endedMs(before)

/** Pairs of attempts: each but the first, with its predecessor. */
export const retriesOf = (chain: readonly JournaledRequest[]) =>
  chain.slice(1).map((after, index) => ({ before: chain[index]!, after }))
