/** Resource ids in the texts of requests and answers. */
import type { ResourceName } from '../../spec/contract/event.ts'
import { ID_PREFIXES, idKindOf } from '../../spec/contract/ids.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { RecordedRequest } from './session.ts'

/**
 * The names under which a recording captures ids. The kinds are told by the defaults' prefixes, as a scenario is
 * in their words.
 */
const NAMES: Readonly<Record<ResourceName | 'event', string>> = {
  checkout: 'checkout',
  authorization: 'authorization',
  refund: 'refund',
  customer: 'customer',
  payment_method: 'method',
  event: 'event',
}

const PREFIXES = (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((kind) => ID_PREFIXES[kind])
export const IDS = new RegExp(`\\b(?:${PREFIXES.join('|')})[0-9A-Za-z]{6,}`, 'g')

export const isId = (text: string): boolean => text.match(IDS)?.[0] === text

export const nameOfId = (id: string): string => NAMES[idKindOf(id) as keyof typeof NAMES] ?? 'id'

/** The ids in the path and the body of a request. */
export const idsSent = ({ asked }: RecordedRequest): string[] =>
  `${asked.target} ${asked.body}`.match(IDS) ?? []

/** The ids in a request and its answer. Lists are left out: their step expects no particular item. */
export function idsIn(request: RecordedRequest): string[] {
  const body = request.answered?.body ?? ''
  const answer = parsedJson(body)
  const isList = isObject(answer) && Array.isArray(answer.data)
  return [...idsSent(request), ...(isList ? [] : (body.match(IDS) ?? []))]
}
