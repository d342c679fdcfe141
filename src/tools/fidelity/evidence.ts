/** The requests and responses of a service. */
import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { pathOfTarget, splitTarget } from '../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { type Answered, type Asked, isSuccess } from '../../spec/exchange.ts'

/** A request to a service, and the responses. */
export interface ServiceExchange {
  /** Where it was seen, such as `first-refund.yaml step 1`. */
  seenIn: string
  /** When the request was sent, in milliseconds since 1970. */
  at?: number | undefined
  /** As recorded; for the rules, in the default names as far as they are known. */
  asked: Asked
  /** Path and query as sent; default: those of `asked`. */
  sentTo?: string | undefined
  /** As the service sent it. */
  theirs: Answered
  /** Our response in the default names, if it was played there. */
  ours?: Answered | undefined
  /** Set if the scenario, not the service, determines how long a timed move takes. */
  setsDelay?: boolean
}

const parsed = new WeakMap<Answered, unknown>()

/** The JSON of a response, parsed only once: those of the service are read in every round. */
export const jsonOf = (answered: Answered): unknown =>
  keptOrMade(parsed, answered, () => jsonIn(answered.body))

/** The exchanges of a file or a proxy. */
export interface RecordedTraffic {
  /** The name of the file, or the address of the service. */
  name: string
  exchanges: readonly ServiceExchange[]
}

/** The value of a profile's key according to one exchange. */
export interface Sighting {
  key: string
  value: unknown
  exchange: SeenExchange
}

/** An exchange as the rules read it. */
export type SeenExchange = ReturnType<typeof readExchange>

export function readExchange(exchange: ServiceExchange) {
  const { asked, sentTo = asked.target, theirs } = exchange
  const [path, query = ''] = splitTarget(sentTo)
  return {
    ...exchange,
    path,
    query: new URLSearchParams(query),
    /** Of the request in default names; undefined for other paths. */
    operation: DEFAULT_CONTRACT.operationAt(asked.method, pathOfTarget(asked.target)),
    /** Parsed, of the request and of the service's response. */
    sent: jsonIn(asked.body ?? ''),
    json: jsonOf(theirs),
    isSuccess: isSuccess(theirs),
  }
}

/** The message of a refusal, in any profile. */
export const refusalMessage = (json: unknown): string | undefined =>
  isObject(json) && typeof json.message === 'string' ? json.message : undefined

export type JsonFields = Readonly<Record<string, unknown>>
