/** Resource ids in the texts of requests and answers. */
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { RecordedRequest } from './session.ts'

export const IDS = /\b(?:chk|auth|ref|cus|pm|evt)_[0-9A-Za-z]{6,}/g
export const ID = /^(chk|auth|ref|cus|pm|evt)_[0-9A-Za-z]{6,}$/
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** The ids in the path and the body of a request. */
export const idsSent = ({ target, request }: RecordedRequest): string[] =>
  `${target} ${request.body}`.match(IDS) ?? []

/** The ids in a request and its answer. Lists are left out: their step expects no particular item. */
export function idsIn(request: RecordedRequest): string[] {
  const body = request.response?.body ?? ''
  const answer = parsedJson(body)
  const isList = isObject(answer) && Array.isArray(answer.data)
  return [...idsSent(request), ...(isList ? [] : (body.match(IDS) ?? []))]
}
