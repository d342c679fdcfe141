/** Waiting without sleeping: until nothing is in flight and nothing is due. */
import type { Agenda } from '../agenda/agenda.ts'
import { formatDuration } from '../contract/duration.ts'
import { notSettled } from '../contract/errors.ts'
import { formatInstant } from '../contract/wire.ts'
import type { Journal } from '../gate/journal.ts'
import { duration } from '../options/values.ts'
import type { Store } from '../store/store.ts'
import { type Clock, within } from '../world/clock.ts'
import { summarize } from './requests.ts'

/** Less than the five seconds after which most test runners give up, so that a test fails with our reason. */
export const DEFAULT_WITHIN = '4s'

interface Parts {
  readonly agenda: Agenda
  readonly journal: Journal
  readonly clock: Clock
  readonly store: Store
}

export async function settle(parts: Parts, patience: string | number = DEFAULT_WITHIN): Promise<void> {
  const patienceMs = duration(patience, 'within')
  const waiting = { over: false }
  const settled = await within(patienceMs, untilSettled(parts, waiting), false)
  waiting.over = true
  if (!settled) throw notSettled(`Not settled within ${formatDuration(patienceMs)}`, goingOn(parts))
}

async function untilSettled({ agenda, journal }: Parts, waiting: { over: boolean }): Promise<true> {
  while (!waiting.over && (agenda.busy || journal.inFlight.size > 0)) {
    await agenda.idle()
    if (journal.inFlight.size > 0) await nextAnswer(journal)
  }
  return true
}

const nextAnswer = (journal: Journal) =>
  new Promise<void>((resolve) => {
    const unwatch = journal.watch(() => {
      unwatch()
      resolve()
    })
  })

/** More items than this are left out of the error. */
const SHOWN_WORK = 20

function goingOn({ agenda, journal, clock, store }: Parts): Record<string, unknown> {
  const due = store.agenda.list(SHOWN_WORK).filter(({ dueAt }) => dueAt <= clock.now())
  return {
    inFlight: [...journal.inFlight].map(summarize),
    delivering: agenda.delivering,
    due: due.map(({ dueAt, kind, subject }) => ({ at: formatInstant(dueAt), kind, subject })),
  }
}
