import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { RecordedRequest } from './session.ts'

/** How a request found a resource, and how it was answered that the resource is. A replay tells what was so before. */
export function sawStates({ before, answered, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Looked for first, as reading every answer for every event would take seconds in a long session.
  if (before?.id !== resourceId && !answered?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(answered?.body ?? '')]
  return seen.flatMap((one) => (isObject(one) && one.id === resourceId ? [one.status] : []))
}
