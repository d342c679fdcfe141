/** A behavior's `when` as functions: each returns why its condition does not hold, or undefined. */

import { matchesCall, matchesOperation } from '../../spec/contract/endpoints.ts'
import { matchesEvent } from '../../spec/contract/event.ts'
import type { When } from '../scenario-file/behavior.ts'
import { differences, matches } from '../scenario-file/matcher.ts'
import type { Trigger } from './trigger.ts'

type Condition = (trigger: Trigger) => string | undefined

export interface Conditions {
  /** Whether call, operation and event match. If not, the journal does not mention this behavior. */
  isAbout(trigger: Trigger): boolean
  /** The first other condition that does not hold, as a sentence. */
  firstMiss(trigger: Trigger): string | undefined
}

export function conditionsOf(when: When): Conditions {
  const subjects = [
    when.call !== undefined && callIs(when.call),
    when.stub !== undefined && stubIs(when.stub),
    when.op !== undefined && opIs(when.op),
    when.event !== undefined && eventIs(when.event),
    when.resource !== undefined && (({ resource }: Trigger) => resource === when.resource),
    when.enters !== undefined && (({ enters }: Trigger) => enters === when.enters),
  ].filter((condition) => condition !== false)
  const others = [
    when.json !== undefined && jsonHas(when.json),
    when.key !== undefined && keyIs(when.key),
    when.replay !== undefined && replayIs(when.replay),
    ...Object.entries(when.query ?? {}).map(([name, value]) => queryIs(name, value)),
    ...Object.entries(when.header ?? {}).map(([name, value]) => headerIs(name, value)),
  ].filter((condition) => condition !== false)
  return {
    isAbout: (trigger) => subjects.every((holds) => holds(trigger)),
    firstMiss(trigger) {
      for (const condition of others) {
        const why = condition(trigger)
        if (why !== undefined) return why
      }
      return undefined
    },
  }
}

// Call, operation, event

function callIs(pattern: string): (trigger: Trigger) => boolean {
  const isMeant = matchesCall(pattern)
  return ({ call }) => call !== undefined && isMeant(call)
}

/** For a call that is not an operation. */
function stubIs(pattern: string): (trigger: Trigger) => boolean {
  const isMeant = callIs(pattern)
  return (trigger) => trigger.op === undefined && isMeant(trigger)
}

function opIs(pattern: string): (trigger: Trigger) => boolean {
  const isMeant = matchesOperation(pattern)
  return ({ op }) => op !== undefined && isMeant(op)
}

const eventIs =
  (pattern: string) =>
  ({ event }: Trigger): boolean =>
    event !== undefined && matchesEvent(pattern, event)

// The other conditions

function jsonHas(expected: unknown): Condition {
  return ({ json }) => {
    const [first] = differences(expected, json())
    return first && `${first.path} is ${first.received}, not ${first.expected}`
  }
}

const keyIs =
  (expected: unknown): Condition =>
  ({ key }) =>
    isText(expected, key) ? undefined : `the Idempotency-Key is ${shown(key)}`

const replayIs =
  (expected: boolean): Condition =>
  ({ isReplay = false }) => {
    if (isReplay === expected) return undefined
    return isReplay ? 'it is a replay' : 'it is not a replay'
  }

const queryIs =
  (name: string, expected: unknown): Condition =>
  ({ query }) => {
    const given = query?.get(name) ?? undefined
    return isText(expected, given) ? undefined : `the query's ${name} is ${shown(given)}`
  }

/** The message does not show the value: the header may be the API key. */
const headerIs =
  (name: string, expected: unknown): Condition =>
  ({ header }) => {
    const given = header?.(name.toLowerCase())
    if (isText(expected, given)) return undefined
    return `the header ${name} is ${given === undefined ? 'not there' : 'another one'}`
  }

/** Queries and headers are text, which is parsed to compare it with an expected number or boolean. */
function isText(expected: unknown, given: string | undefined): boolean {
  if (matches(expected, given)) return true
  if (given === undefined || given.trim() === '') return false
  const number = Number(given)
  if (!Number.isNaN(number) && matches(expected, number)) return true
  return (given === 'true' || given === 'false') && matches(expected, given === 'true')
}

const shown = (given: string | undefined) => (given === undefined ? 'not there' : JSON.stringify(given))
