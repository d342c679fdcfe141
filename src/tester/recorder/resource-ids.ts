/** Resource ids in the texts of requests and responses. */
import { ID_PREFIXES, KnownIds } from '../../spec/contract/ids.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { RESOURCE_NAMES } from '../../spec/contract/resources/index.ts'
import type { RecordedRequest } from './session.ts'

const KINDS = [...RESOURCE_NAMES, 'event'] as const

/**
 * By the default prefixes, because a recording uses the default words. The number of characters after the prefix depends on the
 * sandbox.
 */
export const IDS = new KnownIds(Object.fromEntries(KINDS.map((kind) => [kind, ID_PREFIXES[kind]])))

/** The name under which a recording captures an id: the last word of its kind, such as `method`. */
export const nameOfId = (id: string): string => IDS.kindOf(id)?.split('_').at(-1) ?? 'id'

/** The ids in the path and the body of a request. */
export const idsSent = ({ asked }: RecordedRequest): string[] => IDS.allIn(`${asked.target} ${asked.body}`)

/** The ids in a request and its response. Lists are excluded, because their step expects no particular item. */
export function idsIn(request: RecordedRequest): string[] {
  const body = request.answered?.body ?? ''
  const answer = parsedJson(body)
  const isList = isObject(answer) && Array.isArray(answer.data)
  return [...idsSent(request), ...(isList ? [] : IDS.allIn(body))]
}
