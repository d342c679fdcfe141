/**
 * Checks what a file may do at a service that others share: a target that is played as a platform may be the
 * real staging.
 */

import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'

/** Methods and last words of a path that remove, replace or end something. A new resource, a refund or a capture only adds. */
const DESTRUCTIVE = /^(DELETE|PUT|PATCH) |\/(cancel|void)\/?([?#]|$)/i

/** Why a call such as `POST /v1/checkouts/x/cancel` is not sent there; undefined for one that may be. */
export const whyNotSent = (call: string): string | undefined =>
  DESTRUCTIVE.test(call)
    ? `${call} ends or replaces something, and the file does not say target: any`
    : undefined

/** Checks the calls before anything is sent; calls with captured values are checked when these are known. */
export const whyNotPlayed = ({ steps = [] }: Scenario): string | undefined =>
  callsOf(steps)
    .map(whyNotSent)
    .find((why) => why !== undefined)

/** The calls of all steps, also of steps inside steps. A `call` inside a body is none. */
function callsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsOf)
  if (!isObject(value)) return []
  const { call, json: _, ...rest } = value
  const nested = Object.values(rest).flatMap(callsOf)
  return typeof call === 'string' ? [call, ...nested] : nested
}
