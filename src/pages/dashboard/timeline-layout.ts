/**
 * Computes the coordinates of a timeline's marks. Time runs downwards; the platform is on the left, the service in the
 * middle, the webhook receiver on the right. The arrow of a request goes to the right up to where it was answered, and back;
 * a delivery goes from the middle to the receiver. Marks of one instant keep their order. Where nothing happened for a
 * minute or more, the axis is cut and the gap is written as text, so that a day between two requests takes one line.
 *
 * A pure function: no page, no color, no clock.
 */

import { dateText, gapText, timeText } from './text.ts'
import type { AttemptMark, RequestMark, Space, TimelineLayout } from './timeline-drawing.ts'
import { closeTrack, deliveryRails, keyRails, type OpenTrack, placeTracks } from './timeline-lines.ts'
import type {
  AttemptMoment,
  ChangeMoment,
  Effect,
  RequestMoment,
  Timeline,
  TimelineMoment,
} from './timeline-model.ts'

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
  const parts = path.split('/').map((part) => space.short(part))
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

/** The arrow of an answer that does not arrive ends half way, and that of a damaged one shortly before the end. */
const placeOfLoss = ({ arrives, reached }: RequestMoment, from: number, turn: number): number => {
  if (arrives !== 'nothing') return from + (turn - from) * 0.12
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

// Letters

const letters = (width: number, { letter }: Space) => Math.max(3, Math.floor(width / letter))

const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)
