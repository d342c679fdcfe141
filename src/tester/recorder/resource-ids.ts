/** Resource ids in the texts of requests and answers. */
import type { ResourceName } from '../../spec/contract/event.ts'
import { ID_PREFIXES, KnownIds } from '../../spec/contract/ids.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { RecordedRequest } from './session.ts'

/** The names under which a recording captures ids. */
const NAMES: Readonly<Record<ResourceName | 'event', string>> = {
  checkout: 'checkout',
  authorization: 'authorization',
  refund: 'refund',
  customer: 'customer',
  payment_method: 'method',
  event: 'event',
}

const KINDS = Object.keys(NAMES) as (keyof typeof NAMES)[]

/** By the default prefixes, as a recording is in the default words. How many characters follow depends on the sandbox. */
export const IDS = new KnownIds(Object.fromEntries(KINDS.map((kind) => [kind, ID_PREFIXES[kind]])))

export const nameOfId = (id: string): string => NAMES[IDS.kindOf(id) as keyof typeof NAMES] ?? 'id'

/** The ids in the path and the body of a request. */
export const idsSent = ({ asked }: RecordedRequest): string[] => IDS.allIn(`${asked.target} ${asked.body}`)

/** The ids in a request and its answer. Lists are left out: their step expects no particular item. */
export function idsIn(request: RecordedRequest): string[] {
  const body = request.answered?.body ?? ''
  const answer = parsedJson(body)
  const isList = isObject(answer) && Array.isArray(answer.data)
  return [...idsSent(request), ...(isList ? [] : IDS.allIn(body))]
}
