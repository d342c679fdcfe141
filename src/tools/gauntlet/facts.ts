/**
 * The facts about one sandbox of a run at its end: the money that moved, the conduct, and the troubles that
 * it met.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { GATE_STEPS } from '../../service/gate/journal-entry.ts'
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import type { Conduct, Ignored } from '../../tester/conduct/judge.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { moneyOf, type OrderMoney } from './money.ts'
import type { TestLabel } from './run-of-this-process.ts'
import { type Seen, seenIn } from './seen.ts'
import type { Details } from './trail.ts'

export interface SandboxFacts {
  sandbox: string
  /** The test that it was made for; null where no test named itself. */
  label: TestLabel | null
  /** How many requests came with the sandbox's key. */
  requests: number
  unanswered: number
  seen: Seen
  money: readonly OrderMoney[]
  /** How often each behavior of the trouble acted. */
  fired: readonly number[]
  /** How often behaviors acted that the test itself had armed. */
  ownFired: number
  conduct: Conduct
}

/** Facts with details, which are read only if something went wrong. */
export interface TellingFacts extends SandboxFacts {
  details: () => Details
}

/** The facts as JSON in the run's folder, written by a process of the tests. */
export interface WrittenFacts extends SandboxFacts {
  details: Details
}

const API_KEY = GATE_STEPS.indexOf('api key')

type Summary = ReturnType<SandboxControl['requests']>[number]

/** A simulator also has sandboxes without requests, and one for requests with an unknown key. */
export const requestsIn = (control: SandboxControl): Summary[] =>
  control.requests().filter(({ step }) => GATE_STEPS.indexOf(step) > API_KEY)

export function factsOf(
  { behaviors: { fromOutside } }: Sandbox,
  control: SandboxControl,
  ignore: Ignored,
): SandboxFacts {
  const requests = requestsIn(control)
  const ofTrouble = new Set(fromOutside.map(({ id }) => id))
  const inBackground = control.backgroundResults().filter(({ fired }) => fired)
  const acted = [...requests.flatMap(({ fired }) => fired), ...inBackground.map(({ behavior }) => behavior)]
  return {
    sandbox: control.name,
    label: null,
    requests: requests.length,
    unanswered: requests.filter(isUnanswered).length,
    seen: seenIn(control),
    money: moneyOf(control),
    fired: fromOutside.map(({ fired }) => fired),
    ownFired: acted.filter((id) => !ofTrouble.has(id)).length,
    conduct: control.conduct({ ignore }),
  }
}

/** Whether the request still waits, or its answer did not arrive whole. */
const isUnanswered = ({ answeredAt, fault }: Summary): boolean =>
  answeredAt === null || arrivingUnder(fault) !== 'whole'
