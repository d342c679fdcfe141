/** What every page is drawn with, whatever it shows. */
import type { DueWork } from '../control/shapes.ts'
import type { Links } from './links.ts'

export interface View {
  sandbox: string
  sandboxes: readonly string[]
  links: Links
  /** What this simulator was addressed by: the base of every curl line. */
  origin: string
  /** Whether steering takes the admin token. */
  guarded: boolean
  /** Proves that a form is from a page of ours. */
  token: string
  /** Which entry of the navigation this is. */
  here: DashboardPlace
  /** What a form leads back to. */
  path: string
  clock: { now: string; frozen: boolean }
  /** What falls due next. */
  due: DueWork | undefined
  armed: number
  /** What came of the action that led here. */
  notice: Notice | undefined
}

export type DashboardPlace =
  | ''
  | 'requests'
  | 'timeline'
  | 'resources'
  | 'ledger'
  | 'outbox'
  | 'events'
  | 'behaviors'
  | 'sandboxes'
  | 'reference'

export interface Notice {
  tone: 'good' | 'bad' | 'plain'
  text: string
  /** What happened on the way, in order. */
  list?: readonly { at: string; id: string; detail: string }[]
}
