/** What a file may not do to a service that others share: a target that is played as a platform and may be the real staging. */
import type { Scenario } from '../scenario-file/format.ts'
import { isObject } from '../scenario-file/matcher.ts'

/** Methods and last words of a path that remove, replace or end something. A new resource, a refund or a capture only adds. */
const DESTRUCTIVE = /^(DELETE|PUT|PATCH) |\/(cancel|void)(\?|$)/

/** Undefined for a file that may be sent. */
export function destructiveCall({ target, steps = [] }: Scenario): string | undefined {
  return target === 'any' ? undefined : callsOf(steps).find((call) => DESTRUCTIVE.test(call))
}

/** The calls of all steps, also of those that stand inside others; a body is no step. */
function callsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsOf)
  if (!isObject(value)) return []
  const { call, json: _, ...rest } = value
  const nested = Object.values(rest).flatMap(callsOf)
  return typeof call === 'string' ? [call, ...nested] : nested
}
