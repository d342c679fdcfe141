/** What the drawing of a timeline consists of, as coordinates and texts, and the sizes that it is made with. */
import { shortId } from './text.ts'
import type { AttemptMoment, Effect, RequestMoment } from './timeline-model.ts'

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
  /** An id in a path. */
  short(id: string): string
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
  short: shortId,
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
  short: shortId,
}
