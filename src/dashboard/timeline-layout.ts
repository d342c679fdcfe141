/**
 * Computes the coordinates of a timeline's marks. Time runs downwards; the platform is on the left, the service in the
 * middle, the webhook receiver on the right. The arrow of a request goes to the right up to where it was answered, and back;
 * a delivery goes from the middle to the receiver. Marks of one instant keep their order. Where nothing happened for a
 * minute or more, the axis is cut and the gap is written as text, so that a day between two requests takes one line.
 *
 * A pure function: no page, no color, no clock.
 */

import { type IdKind, idKindOf } from '../contract/ids.ts'
import { dateText, gapText, shortId, timeText } from './text.ts'
import type {
  AttemptMoment,
  ChangeMoment,
  Effect,
  RequestMoment,
  Timeline,
  TimelineMoment,
} from './timeline-model.ts'

export interface TimelineLayout {
  width: number
  height: number
  /** The x of the vertical lines. */
  lines: { platform: number; gate: number; service: number; receiver: number }
  /** Texts of the time axis, and where it is cut. */
  times: { x: number; y: number; text: string }[]
  pauses: { y: number; text: string; broken: boolean }[]
  requests: RequestMark[]
  causes: { x: number; y: number; text: string }[]
  effects: EffectMark[]
  attempts: AttemptMark[]
  /** One for each resource with states: how long it was in each. */
  tracks: Track[]
  /** Connect requests with one key, and attempts of one delivery. */
  rails: Rail[]
}

export interface RequestMark {
  moment: RequestMoment
  /** How many equal requests in a row it stands for. */
  count: number
  label: TimelineLabel
  status: TimelineLabel | null
  note: TimelineLabel | null
  from: number
  /** The x where the arrow turns: at the gate, or at the resource. */
  turn: number
  out: number
  back: number
  /** The x where a fault lost or damaged the answer; null without a fault. */
  lostAt: number | null
  tone: 'good' | 'refused' | 'failed' | 'open'
}

export interface EffectMark {
  effect: Effect
  /** Whether its resource has a track; the mark is then on it. */
  tracked: boolean
  x: number
  y: number
  label: TimelineLabel
}

export interface AttemptMark {
  moment: AttemptMoment
  label: TimelineLabel
  status: TimelineLabel
  from: number
  to: number
  out: number
  back: number
  delivered: boolean
}

export interface Track {
  resourceId: string
  main: boolean
  x: number
  parts: { from: number; to: number; state: string }[]
}

export interface Rail {
  x: number
  /** The x of the vertical line that it belongs to. */
  edge: number
  stops: { y: number; kind: 'original' | 'repeated' | 'refused' }[]
}

export interface TimelineLabel {
  x: number
  y: number
  text: string
  end: boolean
}

/** The sizes of a drawing, one for wide and one for narrow screens. All letters have one width, so the length of a text is known without a browser. */
export interface Space {
  width: number
  letter: number
  lines: TimelineLayout['lines']
  trackGap: number
  tracksMax: number
  labelsFrom: number
  railGap: number
  railsMax: { left: number; right: number }
  /** Whether times are written beside the drawing; a narrow one has them between its rows. */
  timesBeside: boolean
}

export const WIDE: Space = {
  width: 1000,
  letter: 7.25,
  lines: { platform: 196, gate: 530, service: 578, receiver: 940 },
  trackGap: 13,
  tracksMax: 5,
  labelsFrom: 660,
  railGap: 11,
  railsMax: { left: 6, right: 4 },
  timesBeside: true,
}

export const NARROW: Space = {
  width: 358,
  letter: 6.65,
  lines: { platform: 24, gate: 160, service: 182, receiver: 340 },
  trackGap: 8,
  tracksMax: 3,
  labelsFrom: 218,
  railGap: 7,
  railsMax: { left: 2, right: 1 },
  timesBeside: false,
}

/** Distances from the top of a row: its text, the arrow to the right, the arrow back, a note, and the next row. */
const ROW = { text: 12, out: 19, back: 29, note: 45, height: 38, noted: 54 }
const EFFECT_HEIGHT = 17
const PAUSE = { text: 19, height: 34 }
const TIME_HEIGHT = 18
/** The least distance between two marks, so that their order can be seen and their times do not overlap. */
const STEP = { sameInstant: 13, later: 17 }
/** A longer gap cuts the axis. */
const PAUSE_MS = 60_000
/** This many equal requests in a row, or more, are drawn as one, if none of them changed anything. */
const RUN_MIN = 3

/**
 * The next free y on the platform's side and on the receiver's, and the y of the latest mark. The sides are filled apart,
 * as a delivery fits beside a request; a later mark is still lower on the page.
 */
interface Cursor {
  left: number
  right: number
  latest: number
}

export function layOutTimeline(timeline: Timeline, space: Space): TimelineLayout {
  const drawing: TimelineLayout = {
    width: space.width,
    height: 0,
    lines: space.lines,
    times: [],
    pauses: [],
    requests: [],
    causes: [],
    effects: [],
    attempts: [],
    tracks: [],
    rails: [],
  }
  const tracks = placeTracks(timeline, space)
  const edge = Math.max(space.lines.service, ...[...tracks.values()].map(({ x }) => x)) + space.trackGap - 2
  const cursor: Cursor = { left: 0, right: 0, latest: -STEP.later }
  let before: number | undefined

  for (const { moment, count } of foldRuns(timeline.moments)) {
    const top = placeMoment(drawing, moment, space, cursor, before)
    before = moment.at
    if (moment.kind === 'attempt') {
      drawing.attempts.push(attemptMark(moment, timeline, space, edge, top))
      cursor.right = top + ROW.height
    } else {
      cursor.left = top + ROW.height
      if (moment.kind === 'request') {
        const mark = requestMark(moment, count, space, top)
        drawing.requests.push(mark)
        if (mark.note) cursor.left = top + ROW.noted
      } else {
        const y = top + ROW.out + 4
        drawing.causes.push({ x: space.lines.service - 14, y, text: CAUSES[moment.cause] })
      }
      if (moment.effects.length > 0) {
        cursor.right = placeEffects(drawing, moment, timeline, space, tracks, top)
      }
    }
    cursor.latest = top
  }

  drawing.height = Math.max(cursor.left, cursor.right) + 8
  drawing.tracks = [...tracks.values()].map((track) => closeTrack(track, drawing.height))
  drawing.rails = [...keyRails(drawing.requests, space), ...deliveryRails(drawing.attempts, space)]
  return drawing
}

const CAUSES: Record<ChangeMoment['cause'], string> = {
  buyer: 'the buyer',
  time: 'time',
  tester: 'the tester',
}

// Time

/** Gives the y of a moment, below the one before it. The gap grows with the logarithm of the time between them. */
function placeMoment(
  drawing: TimelineLayout,
  moment: TimelineMoment,
  space: Space,
  cursor: Cursor,
  before: number | undefined,
): number {
  const { at } = moment
  const gap = before === undefined ? undefined : at - before
  if (gap === undefined || gap >= PAUSE_MS) pause(drawing, cursor, before, at)
  const stretched = gap !== undefined && gap >= 1000 && gap < PAUSE_MS ? 6 + 5 * Math.log10(gap / 1000) : 0
  const below = cursor.latest + (gap === 0 ? STEP.sameInstant : STEP.later) + stretched
  let top = Math.max(below, sideOf(moment, cursor))
  if (gap === 0) return top
  if (space.timesBeside) {
    drawing.times.push({ x: 0, y: top + ROW.out + 4, text: timeText(at) })
    return top
  }
  const text = timeText(at).slice(0, 8)
  if (drawing.times.at(-1)?.text === text && gap !== undefined && gap < PAUSE_MS) return top
  top = Math.max(top, cursor.left)
  drawing.times.push({ x: space.lines.platform + 8, y: top + 12, text })
  return top + TIME_HEIGHT
}

/** The changes of a request begin below its arrow, so its row may begin above the end of the right side. */
function sideOf(moment: TimelineMoment, { left, right }: Cursor): number {
  if (moment.kind === 'attempt') return right
  return moment.effects.length > 0 ? Math.max(left, right - ROW.out + 8) : left
}

function pause(drawing: TimelineLayout, cursor: Cursor, before: number | undefined, at: number): void {
  const top = Math.max(cursor.left, cursor.right)
  const newDay = before === undefined || dateText(before) !== dateText(at)
  const parts = [
    ...(before === undefined ? [] : [`${gapText(at - before)} later`]),
    ...(newDay ? [dateText(at)] : []),
  ]
  drawing.pauses.push({ y: top + PAUSE.text, text: parts.join(' · '), broken: before !== undefined })
  cursor.left = top + PAUSE.height
  cursor.right = cursor.left
  cursor.latest = cursor.left - STEP.later
}

// Requests

interface MomentRun {
  moment: TimelineMoment
  count: number
}

/** A platform that polls, or is refused many times in a row, would fill the page. */
function foldRuns(moments: readonly TimelineMoment[]): MomentRun[] {
  const folded: MomentRun[] = []
  for (let first = 0; first < moments.length; ) {
    const moment = moments[first]!
    let next = first + 1
    while (next < moments.length && isSame(moment, moments[next]!)) next += 1
    const count = next - first
    if (count >= RUN_MIN) folded.push({ moment, count })
    else for (const single of moments.slice(first, next)) folded.push({ moment: single, count: 1 })
    first = next
  }
  return folded
}

const isSame = (one: TimelineMoment, other: TimelineMoment): boolean =>
  one.kind === 'request' &&
  other.kind === 'request' &&
  one.effects.length + other.effects.length === 0 &&
  one.status !== null &&
  signature(one) === signature(other)

const signature = ({ method, path, status, key, replayed, fault, behaviors }: RequestMoment) =>
  JSON.stringify([method, path, status, key, replayed, fault, behaviors])

function requestMark(moment: RequestMoment, count: number, space: Space, y: number): RequestMark {
  const { platform, gate, service } = space.lines
  const turn = moment.reached === 'operation' ? service - 8 : gate
  const status = moment.status === null ? '' : String(moment.status)
  const times = count > 1 ? ` ×${count}` : ''
  const room = letters(gate - platform - 14 - (status.length + 1) * space.letter, space) - times.length
  const text = cut(`${moment.method} ${shownPath(moment.path, space)}`, room) + times
  const note = noteOf(moment)
  return {
    moment,
    count,
    label: { x: platform + 8, y: y + ROW.text, text, end: false },
    status: status === '' ? null : { x: gate - 6, y: y + ROW.text, text: status, end: true },
    note:
      note === ''
        ? null
        : {
            x: platform + 8,
            y: y + ROW.note,
            text: cut(note, letters(service - 16 - platform - 8, space)),
            end: false,
          },
    from: platform,
    turn,
    out: y + ROW.out,
    back: y + ROW.back,
    lostAt: moment.fault === null ? null : placeOfLoss(moment, platform, turn),
    tone: toneOf(moment),
  }
}

/** The whole path on a wide screen; else its last segment, as all requests are about one resource. */
function shownPath(path: string, space: Space): string {
  const parts = path.split('/').map(shortId)
  return space.timesBeside || parts.length <= 3 ? parts.join('/') : `…/${parts.at(-1)}`
}

function noteOf({ replayed, fault, behaviors, status, reached }: RequestMoment): string {
  const parts: string[] = []
  if (replayed) parts.push('replayed')
  if (fault !== null) parts.push(reached === 'gate' ? `${fault} before it ran` : `${fault} after the commit`)
  else if (status === null) parts.push('under way')
  parts.push(...behaviors)
  return parts.join(' · ')
}

/** With these faults no answer arrives: its arrow ends half way. Other faults damage it shortly before the end. */
const LOST = ['reset', 'close', 'hang']

const placeOfLoss = ({ fault, reached }: RequestMoment, from: number, turn: number): number => {
  if (!LOST.includes(fault!)) return from + (turn - from) * 0.12
  return reached === 'gate' ? turn : from + (turn - from) * 0.5
}

function toneOf({ status, fault }: RequestMoment): RequestMark['tone'] {
  if (fault !== null || (status !== null && status >= 500)) return 'failed'
  if (status === null) return 'open'
  return status < 400 ? 'good' : 'refused'
}

// Changes and deliveries

function placeEffects(
  drawing: TimelineLayout,
  { effects }: RequestMoment | ChangeMoment,
  { subject }: Timeline,
  space: Space,
  tracks: Map<string, OpenTrack>,
  top: number,
): number {
  let y = top + ROW.out + 5
  for (const effect of effects) {
    const track = tracks.get(effect.resourceId)
    if (track && effect.state !== null) track.changes.push({ y, state: effect.state })
    const change = space.timesBeside ? withState(effect) : eventText(effect, subject)
    const text = effect.trouble === null ? change : `${change} · ${effect.trouble}`
    drawing.effects.push({
      effect,
      tracked: track !== undefined,
      x: track?.x ?? space.lines.service,
      y,
      label: {
        x: space.labelsFrom,
        y: y + 4,
        text: cut(text, letters(space.lines.receiver - space.labelsFrom - 4, space)),
        end: false,
      },
    })
    y += EFFECT_HEIGHT
  }
  return y + 4
}

/** The state is written only where the event's name does not say it, such as after `created`. */
const withState = ({ type, state }: Effect) =>
  state === null || type.endsWith(`.${state}`) ? type : `${type} · ${state}`

function eventText(
  { type, resourceId }: Pick<Effect, 'type' | 'resourceId'>,
  subject: string | null,
): string {
  const [resource = '', happened = ''] = type.split('.')
  if (resourceId === subject) return happened
  return `${resource.replace('payment_', '')} ${happened}`
}

function attemptMark(
  moment: AttemptMoment,
  { subject }: Timeline,
  space: Space,
  edge: number,
  y: number,
): AttemptMark {
  const { status, type, delivery } = moment
  const answer = status !== null ? String(status) : space.timesBeside ? 'no answer' : ''
  const event = space.timesBeside ? type : eventText(moment, subject)
  const text = delivery === null ? event : `${delivery}: ${event}`
  const labelFrom = space.timesBeside ? space.labelsFrom : edge + 4
  const to = space.lines.receiver
  return {
    moment,
    label: {
      x: labelFrom,
      y: y + ROW.text,
      text: cut(text, letters(to - labelFrom - 8 - (answer.length + 1) * space.letter, space)),
      end: false,
    },
    status: { x: to - 8, y: y + ROW.text, text: answer, end: true },
    from: edge,
    to,
    out: y + ROW.out,
    back: y + ROW.back,
    delivered: status !== null && status >= 200 && status < 300,
  }
}

// States over time

interface OpenTrack {
  resourceId: string
  main: boolean
  x: number
  changes: { y: number; state: string }[]
}

/** Resources whose states change; a customer only exists or not. */
const WITH_TRACK: readonly (IdKind | undefined)[] = ['checkout', 'authorization', 'refund']

/** The subject's track is on the service's line, the others are beside it. Tracks that do not overlap share a column. */
function placeTracks(
  { subject, moments }: Timeline,
  { lines, trackGap, tracksMax }: Space,
): Map<string, OpenTrack> {
  const effects = moments.flatMap((moment) => (moment.kind === 'attempt' ? [] : moment.effects))
  const ids = [...new Set(effects.map(({ resourceId }) => resourceId))].filter((id) =>
    WITH_TRACK.includes(idKindOf(id)),
  )
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

function closeTrack({ changes, ...track }: OpenTrack, bottom: number): Track {
  const parts = changes.map(({ y, state }, index) => {
    const next = changes[index + 1]?.y
    const ends = !track.main && FINAL.includes(state) ? y : bottom
    return { from: y, to: next ?? ends, state }
  })
  return { ...track, parts }
}

// Rails: lines that connect requests with one key, or attempts of one delivery

function keyRails(requests: readonly RequestMark[], space: Space): Rail[] {
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

function deliveryRails(attempts: readonly AttemptMark[], space: Space): Rail[] {
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

// Letters

const letters = (width: number, { letter }: Space) => Math.max(3, Math.floor(width / letter))

const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)
