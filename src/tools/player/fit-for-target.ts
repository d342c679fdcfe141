/** What a file may not do to a service that others share: a target that is played as a platform and may be the real staging. */

import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'

/** Methods and last words of a path that remove, replace or end something. A new resource, a refund or a capture only adds. */
const DESTRUCTIVE = /^(DELETE|PUT|PATCH) |\/(cancel|void)\/?([?#]|$)/i

/** Why a call such as `POST /v1/checkouts/x/cancel` is not sent there; undefined for one that may be. */
export const whyNotSent = (call: string): string | undefined =>
  DESTRUCTIVE.test(call)
    ? `${call} ends or replaces something, and the file does not say target: any`
    : undefined

/** What can be seen before anything is sent; what a captured value leads to is judged when it is known. */
export const whyNotPlayed = ({ steps = [] }: Scenario): string | undefined =>
  callsOf(steps)
    .map(whyNotSent)
    .find((why) => why !== undefined)

/** The calls of all steps, also of those that stand inside others; a body is no step. */
function callsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsOf)
  if (!isObject(value)) return []
  const { call, json: _, ...rest } = value
  const nested = Object.values(rest).flatMap(callsOf)
  return typeof call === 'string' ? [call, ...nested] : nested
}
