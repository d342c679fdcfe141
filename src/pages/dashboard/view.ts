/** What every page needs, for its frame, links and forms. */

import type { Environment } from '../../spec/environments/environment.ts'
import type { Browse, DueGroup } from '../../tester/control/browse.ts'
import type { Tone } from '../blocks.tsx'
import type { SandboxLinks } from './links.ts'

export interface View {
  /** The sandbox's name at this address (D61). */
  sandbox: string
  environment: Environment
  apiKey: string
  /** The address at which the sandbox's environment is served. */
  base: string
  sandboxes: readonly string[]
  links: SandboxLinks
  /** The base address of curl commands. */
  origin: string
  /** Whether requests need the admin token. */
  guarded: boolean
  /** The form token of the session. */
  token: string
  /** The entry of the navigation to highlight. */
  here: DashboardPage
  /** The page's own address, where its forms lead back to. */
  path: string
  clock: { now: string; frozen: boolean }
  /** Whether a tester moved the clock between these instants. */
  movedBetween(from: number, to: number): boolean
  /** What is due next. */
  due: DueGroup | undefined
  /** A text that changes whenever something has happened that a page may show. */
  state: string
  armed: number
  /** Events whose last attempt has failed: tried again, and given up. */
  troubled: ReturnType<Browse['troubled']>
  /** Whether `paysim shadow` runs: then the requests are those that a real service gets. */
  hasRealService: boolean
  /** Whether `--gauntlet-report` names a report. */
  hasGauntlet: boolean
  /** What the last action did. */
  notice: ActionResult | undefined
}

export type DashboardPage =
  | ''
  | 'requests'
  | 'timeline'
  | 'resources'
  | 'ledger'
  | 'conduct'
  | 'gauntlet'
  | 'real-service'
  | 'outbox'
  | 'webhooks'
  | 'behaviors'
  | 'sandboxes'
  | 'reference'
  /** The results of a search; the navigation has no entry for them. */
  | 'find'

export interface ActionResult {
  tone: Tone
  text: string
  /** What was typed and refused, by the name of its field. */
  wrong?: { name: string; value: string }
  /** A link to the page that shows more. */
  more?: { text: string; page: string; query?: Record<string, string> }
  /** The form of the button Undo. */
  undo?: { action: string; fields: Readonly<Record<string, string>> }
  /** What happened while the clock moved, in order. */
  list?: readonly { at: string; id: string; detail: string }[]
}
