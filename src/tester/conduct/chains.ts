/** Which requests are attempts at the same thing. */
import {
  endedMs,
  groupBy,
  isRetryable,
  type JournaledRequest,
  oncePerPicture,
  type Picture,
  scopedKeyOf,
} from './picture.ts'

/**
 * Attempts at the same call, one after another, each but the last with an answer that is worth another try. A key names one
 * intent: two equal refunds under two keys are two chains. Another key goes on with a chain only where the key before it is
 * never sent again: then the client has made a new key for a retry.
 */
export const chainsIn = oncePerPicture(({ requests }: Pick<Picture, 'requests'>) => {
  // What was answered at once is a chain of one that no rule asks for.
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
    const chain = open.findLast((one) => {
      const before = one.at(-1)!
      if (!isAfter(before, request)) return false
      const keyBefore = scopedKeyOf(before)
      return keyBefore === key || (isNewKey && lastOfKey.get(keyBefore) === before)
    })
    if (chain) chain.push(request)
    else chains.push([request])
    if (chain && !isRetryable(request)) open = open.filter((one) => one !== chain)
    if (!chain && isRetryable(request)) open.push(chains.at(-1)!)
  }
  return chains
}

/** Sent at once is no retry. A client that left did not wait for the end. */
const isAfter = (before: JournaledRequest, request: JournaledRequest) =>
  before.clientLeft || request.begunMs >= endedMs(before)

/** Pairs of attempts: each but the first, with the one before it. */
export const retriesOf = (chain: readonly JournaledRequest[]) =>
  chain.slice(1).map((after, index) => ({ before: chain[index]!, after }))
