/**
 * Arranges a timeline in rows, oldest first. The vertical lines next to the texts are drawn row by row: rails connect the
 * requests with one key, and a track shows the states of a resource.
 */
import { ENDED } from '../../spec/contract/resources/operations.ts'
import { groupBy } from '../../tester/audit/picture.ts'
import { type StateTone, stateTone } from './state-tones.ts'
import { dateText, gapText, runsOf } from './text.ts'
import type { Effect, RequestMoment, Timeline, TimelineMoment } from './timeline-model.ts'

export interface TimelineRow {
  moment: TimelineMoment
  /** How many equal consecutive requests, or attempts with the same result, it represents. */
  count: number
  /** The line above it: a new day, or how long nothing happened. */
  day: string | null
  later: string | null
  /** Whether the row above has the same time. */
  isSameInstant: boolean
  /** The columns of rails next to the row, for requests that repeat each other. Null is an empty column. */
  keys: readonly (RailPart | null)[]
  /** One per column: the states above the row, in it if one changes, and below. */
  tracks: readonly TrackPart[]
}

export interface RailPart {
  place: 'first' | 'stop' | 'through' | 'last'
  /** `doubled`: the later requests moved the first one's money again. */
  kind: 'repeated' | 'refused' | 'doubled'
}

export interface TrackPart {
  above: StateTone | null
  at: StateTone | null
  below: StateTone | null
  isMain: boolean
}

/** A longer gap is written between the rows. */
const GAP_MS = 60_000
/** At least this many equal consecutive requests are one row, if none of them changed anything. */
const RUN_MIN = 3
const COLUMNS_MOST = { keys: 4, tracks: 5 }

export function rowsOf(timeline: Timeline): TimelineRow[] {
  const runs = foldAttempts(foldRequests(timeline.moments))
  const moments = runs.map(({ moment }) => moment)
  const keys = railsIn(
    [...sameKeys(moments), ...doubledIn(moments, timeline.doubled ?? [])],
    COLUMNS_MOST.keys,
    moments.length,
  )
  const tracks = tracksIn(timeline.subject, moments)
  return runs.map(({ moment, count }, index) => {
    const before = moments[index - 1]?.at
    const gap = before === undefined ? 0 : moment.at - before
    return {
      moment,
      count,
      day: before !== undefined && dateText(before) === dateText(moment.at) ? null : dateText(moment.at),
      later: gap >= GAP_MS ? `${gapText(gap)} later` : null,
      isSameInstant: before === moment.at,
      keys: keys[index]!,
      tracks: tracks[index]!,
    }
  })
}

// Rows with several moments

type Run = Pick<TimelineRow, 'moment' | 'count'>

/** Folds equal requests: a platform that polls, or is refused many times in a row, would fill the page. */
const foldRequests = (moments: readonly TimelineMoment[]): Run[] =>
  runsOf(moments, isSame).flatMap((run) =>
    run.length >= RUN_MIN
      ? [{ moment: run[0]!, count: run.length }]
      : run.map((moment) => ({ moment, count: 1 })),
  )

const isSame = (one: TimelineMoment, other: TimelineMoment): boolean =>
  one.kind === 'request' &&
  other.kind === 'request' &&
  one.effects.length + other.effects.length === 0 &&
  one.status !== null &&
  signature(one) === signature(other)

const signature = ({ asked, status, key, replayed, ending, behaviors }: RequestMoment) =>
  JSON.stringify([asked.method, asked.target, status, key, replayed, ending, behaviors])

/** Folds a delivery's attempts with the same result into one row, at the position of the first. */
function foldAttempts(runs: readonly Run[]): Run[] {
  const latest = new Map<string, Run>()
  return runs.flatMap((run) => {
    const { moment } = run
    if (moment.kind !== 'attempt') return run
    const before = latest.get(moment.deliveryId)
    if (before?.moment.kind === 'attempt' && before.moment.status === moment.status) {
      before.count += 1
      return []
    }
    latest.set(moment.deliveryId, run)
    return run
  })
}

// Rails

/** The rows that belong together, in order. */
interface Group {
  rows: readonly number[]
  kindAt(row: number): RailPart['kind']
}

function sameKeys(moments: readonly TimelineMoment[]): Group[] {
  return rowsBy(moments, (moment) =>
    moment.kind === 'request' && moment.key !== null
      ? `${moment.asked.method} ${moment.asked.target} ${moment.key}`
      : null,
  ).map((rows) => ({
    rows,
    kindAt: (row) => (row !== rows[0] && isRefusedKey(moments[row]!) ? 'refused' : 'repeated'),
  }))
}

const rowsBy = (moments: readonly TimelineMoment[], nameOf: (moment: TimelineMoment) => string | null) => [
  ...groupBy(moments.keys(), (row) => nameOf(moments[row]!)).values(),
]

const isRefusedKey = (moment: TimelineMoment) =>
  moment.kind === 'request' && moment.reached === 'door' && (moment.status === 409 || moment.status === 422)

const doubledIn = (moments: readonly TimelineMoment[], doubled: readonly (readonly string[])[]): Group[] =>
  doubled.map((ids) => ({
    rows: moments.flatMap((moment, row) =>
      moment.kind === 'request' && ids.includes(moment.id) ? [row] : [],
    ),
    kindAt: () => 'doubled',
  }))

/** For each row, the part of the rail in each column. */
function railsIn(groups: readonly Group[], most: number, rows: number): (RailPart | null)[][] {
  const rails = groups.filter((group) => group.rows.length > 1)
  const spans = rails.map((group) => ({ from: group.rows[0]!, to: group.rows.at(-1)! }))
  const columns = placeSideBySide(spans, most)
  const width = Math.max(0, ...columns.map((column) => column + 1))
  const parts = Array.from({ length: rows }, () => Array<RailPart | null>(width).fill(null))
  for (const [index, group] of rails.entries()) {
    const { from, to } = spans[index]!
    for (let row = from; row <= to; row += 1) {
      const stop = row === from ? 'first' : row === to ? 'last' : 'stop'
      parts[row]![columns[index]!] = {
        place: group.rows.includes(row) ? stop : 'through',
        kind: group.kindAt(row),
      }
    }
  }
  return parts
}

/** Gives overlapping spans different columns. When all columns are taken, the one that ends first is shared. */
function placeSideBySide(spans: readonly { from: number; to: number }[], most: number): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end < from)
    const column = free !== -1 ? free : ends.length < most ? ends.length : ends.indexOf(Math.min(...ends))
    ends[column] = Math.max(to, ends[column] ?? 0)
    return column
  })
}

// States over time

/** A resource with states has a track. A payment method has none: it lasts longer than a payment. */
const hasTrack = ({ type, state }: Effect) => state !== null && !type.startsWith('payment_method.')

/** The subject's track comes first, with the others next to it. Tracks that do not overlap share a column. */
function tracksIn(main: string, moments: readonly TimelineMoment[]): TrackPart[][] {
  const changes = moments.map((moment) => (moment.kind === 'attempt' ? [] : moment.effects.filter(hasTrack)))
  const ids = [...new Set(changes.flat().map(({ resourceId }) => resourceId))]
  const others = ids.filter((id) => id !== main)
  const lives = others.map((id) => {
    const own = changes.flatMap((some, row) =>
      some.some(({ resourceId }) => resourceId === id) ? [row] : [],
    )
    const ends = changes[own.at(-1)!]!.some(
      ({ resourceId, state }) => resourceId === id && ENDED.includes(state!),
    )
    return { from: own[0]!, to: ends ? own.at(-1)! : moments.length }
  })
  const placed = placeSideBySide(lives, COLUMNS_MOST.tracks - 1)
  const columnOf = new Map([
    ...(main === undefined ? [] : [[main, 0] as const]),
    ...others.map((id, index) => [id, placed[index]! + (main === undefined ? 0 : 1)] as const),
  ])
  const width = Math.max(0, ...[...columnOf.values()].map((column) => column + 1))
  let now: TrackPart[] = Array.from({ length: width }, (_, column) => ({
    above: null,
    at: null,
    below: null,
    isMain: main !== undefined && column === 0,
  }))
  return changes.map((some) => {
    now = now.map((part) => ({ ...part, above: part.below, at: null }))
    for (const { resourceId, state } of some) {
      const part = now[columnOf.get(resourceId)!]!
      part.at = stateTone(state!)
      part.below = !part.isMain && ENDED.includes(state!) ? null : part.at
    }
    return now
  })
}
