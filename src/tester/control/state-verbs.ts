/** Verbs that replace the sandbox's state: reset, snapshots, the end of a test. */

import { z } from 'zod'
import { text } from '../../spec/contract/tester.ts'
import { readClock } from './clock-verbs.ts'
import { Reset, type ResetOptions } from './inputs.ts'
import { ClockReading, SnapshotDescription } from './shapes.ts'
import { removeSnapshot, reset, restore, takeSnapshot } from './state.ts'
import { verb } from './steered.ts'
import { requireAllFired, unfired } from './unfired.ts'

export const STATE_VERBS = {
  reset: verb<(options?: ResetOptions) => void>()('POST /reset', {
    summary: 'Reset the sandbox, fully or in part; the keys stay',
    more: 'The settings and the webhook endpoint stay too',
    body: Reset,
    does: ({ internals }, options = {}) => reset(internals, options),
  }),
  /** What was kept under a name. */
  snapshots: {
    list: verb<() => SnapshotDescription[]>()('GET /snapshots', {
      answers: 'list',
      summary: 'List the snapshots',
      answer: SnapshotDescription,
      does: ({ internals }) => internals.snapshots.list(),
    }),
    remove: verb<(name: string) => void>()('DELETE /snapshots/{name}', {
      summary: 'Remove a snapshot',
      refusals: [404],
      does: ({ internals }, name) => removeSnapshot(internals, name),
    }),
  },
  snapshot: verb<(name?: string) => SnapshotDescription>()('POST /snapshots', {
    id: 'snapshots.take',
    args: ['body.name'],
    summary: 'Save the state as a snapshot',
    more: 'It can be restored, and another sandbox can start from it',
    body: z.strictObject({ name: text.optional() }).meta({ id: 'NewSnapshot' }),
    status: 201,
    answer: SnapshotDescription,
    does: ({ internals }, name) => takeSnapshot(internals, name),
  }),
  restore: verb<(name: string) => void>()('POST /snapshots/{name}/restore', {
    id: 'snapshots.restore',
    read: 'nothing',
    summary: 'Go back to a snapshot',
    answer: ClockReading,
    refusals: [404],
    does: ({ internals }, name) => restore(internals, name),
    run({ internals }, { params }) {
      restore(internals, params.name!)
      return readClock(internals)
    },
  }),

  close: verb<() => void>()('POST /close', {
    summary: 'End a test: remove the sandbox, refused when an armed behavior never acted',
    more: 'Also when it refuses, the sandbox is removed; the refusal says what came nearest. `default` is never removed',
    refusals: [424],
    does: ({ internals, remove }) => {
      const missing = unfired(internals)
      remove()
      requireAllFired(missing)
    },
  }),
}
