/**
 * The lines that run down a timeline: for each resource the states that it was in, and rails, which connect requests with one
 * key, or the attempts of one delivery.
 */
import type { AttemptMark, Rail, RequestMark, Space, Track } from './timeline-drawing.ts'
import type { RequestMoment, Timeline } from './timeline-model.ts'

// States over time

export interface OpenTrack {
  resourceId: string
  main: boolean
  x: number
  changes: { y: number; state: string }[]
}

/** Events of resources whose states change; a customer only exists or not. */
const WITH_TRACK = /^(checkout|authorization|refund)\./

/** The subject's track is on the service's line, the others are beside it. Tracks that do not overlap share a column. */
export function placeTracks(
  { subject, moments }: Timeline,
  { lines, trackGap, tracksMax }: Space,
): Map<string, OpenTrack> {
  const effects = moments.flatMap((moment) => (moment.kind === 'attempt' ? [] : moment.effects))
  const tracked = effects.filter(({ type }) => WITH_TRACK.test(type))
  const ids = [...new Set(tracked.map(({ resourceId }) => resourceId))]
  const main = subject ?? (ids.length === 1 ? ids[0] : undefined)
  const lives = ids
    .filter((id) => id !== main)
    .map((id) => {
      const own = effects.flatMap((effect, index) => (effect.resourceId === id ? [index] : []))
      return { id, from: own[0]!, to: own.at(-1)! }
    })
  const columns = placeSideBySide(lives, tracksMax - 1)
  return new Map(
    ids.map((id) => {
      const column = id === main ? 0 : columns[lives.findIndex((life) => life.id === id)]! + 1
      return [id, { resourceId: id, main: id === main, x: lines.service + column * trackGap, changes: [] }]
    }),
  )
}

const FINAL = ['completed', 'canceled', 'voided', 'detached']

export function closeTrack({ changes, ...track }: OpenTrack, bottom: number): Track {
  const parts = changes.map(({ y, state }, index) => {
    const next = changes[index + 1]?.y
    const ends = !track.main && FINAL.includes(state) ? y : bottom
    return { from: y, to: next ?? ends, state }
  })
  return { ...track, parts }
}

// Rails

export function keyRails(requests: readonly RequestMark[], space: Space): Rail[] {
  const uses = grouped(
    requests.filter(({ moment }) => moment.key !== null),
    ({ moment }) => `${moment.method} ${moment.path} ${moment.key}`,
  )
  return rails(
    uses.map((marks) =>
      marks.map(({ out, moment }, index) => ({
        y: out,
        kind: moment.replayed ? 'repeated' : isRefusedKey(moment, index) ? 'refused' : 'original',
      })),
    ),
    space.lines.platform,
    -space.railGap,
    space.railsMax.left,
  )
}

const isRefusedKey = ({ status, reached }: RequestMoment, index: number) =>
  index > 0 && reached === 'gate' && (status === 409 || status === 422)

export function deliveryRails(attempts: readonly AttemptMark[], space: Space): Rail[] {
  const tries = grouped(attempts, ({ moment }) => moment.deliveryId)
  return rails(
    tries.map((marks) =>
      marks.map(({ out }, index) => ({ y: out, kind: index === 0 ? 'original' : 'repeated' })),
    ),
    space.lines.receiver,
    space.railGap,
    space.railsMax.right,
  )
}

function rails(groups: Rail['stops'][], edge: number, step: number, max: number): Rail[] {
  const repeated = groups.filter((stops) => stops.length > 1)
  const columns = placeSideBySide(
    repeated.map((stops) => ({ from: stops[0]!.y, to: stops.at(-1)!.y })),
    max,
  )
  return repeated.map((stops, index) => ({ x: edge + step * (columns[index]! + 1), edge, stops }))
}

/** Gives overlapping spans different columns. When all columns are taken, the one that ends first is shared. */
function placeSideBySide(spans: readonly { from: number; to: number }[], max: number): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end < from)
    const column = free !== -1 ? free : ends.length < max ? ends.length : ends.indexOf(Math.min(...ends))
    ends[column] = Math.max(to, ends[column] ?? 0)
    return column
  })
}

function grouped<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(nameOf(item))
    if (group) group.push(item)
    else groups.set(nameOf(item), [item])
  }
  return [...groups.values()]
}
