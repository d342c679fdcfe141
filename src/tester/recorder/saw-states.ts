import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { RecordedRequest } from './session.ts'

/** How a request found a resource, and how it was answered that the resource is. A replay tells what was so before. */
export function sawStates({ before, response, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Looked for first, as reading every answer for every event would take seconds in a long session.
  if (before?.id !== resourceId && !response?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(response?.body ?? '')]
  return seen.flatMap((one) => (isObject(one) && one.id === resourceId ? [one.status] : []))
}
