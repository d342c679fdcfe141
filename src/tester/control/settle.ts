/** Waiting without sleeping: until nothing is in flight and nothing is due. */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { notSettled } from '../../spec/contract/errors.ts'
import { within } from '../../spec/world/clock.ts'
import { dueWork } from './due.ts'
import { type SettleOptions, Settling } from './inputs.ts'
import { readParameters } from './read-input.ts'
import { summarize } from './requests.ts'

/** Less than the five seconds after which most test runners give up, so that a test fails with paysim's reason. */
export const DEFAULT_WITHIN_MS = 4_000

export async function settle(internals: Sandbox, given: SettleOptions): Promise<void> {
  const { within: patienceMs = DEFAULT_WITHIN_MS, held = true } = readParameters(Settling, given)
  const waiting = { over: false }
  const settled = await within(patienceMs, untilSettled(internals, held, waiting), false)
  waiting.over = true
  if (!settled) throw notSettled(`Not settled within ${formatDuration(patienceMs)}`, goingOn(internals))
}

async function untilSettled(
  { agenda, behaviors, journal }: Sandbox,
  held: boolean,
  waiting: { over: boolean },
): Promise<true> {
  const inFlight = () => journal.inFlight.length - (held ? 0 : behaviors.heldRequests.size)
  while (!waiting.over && (agenda.busy || inFlight() > 0)) {
    await agenda.idle()
    if (inFlight() === 0) continue
    // A request that is not held is answered within a few turns of the event loop, or is held then.
    await (held ? nextAnswer(journal) : new Promise(setImmediate))
  }
  return true
}

const nextAnswer = (journal: Sandbox['journal']) =>
  new Promise<void>((resolve) => {
    const unwatch = journal.watch(() => {
      unwatch()
      resolve()
    })
  })

/** The error omits further items. */
const SHOWN_WORK = 20

function goingOn(internals: Sandbox): Record<string, unknown> {
  const { agenda, journal, clock } = internals
  const { due } = dueWork(internals, SHOWN_WORK)
  return {
    inFlight: journal.inFlight.map(summarize),
    delivering: agenda.delivering,
    due: due.filter(({ at }) => at !== null && Date.parse(at) <= clock.now()),
  }
}
