/** What every page needs, for its frame, links and forms. */

import type { Environment } from '../../spec/environments/environment.ts'
import type { Browse, DueGroup } from '../../tester/control/browse.ts'
import type { Links } from './links.ts'

export interface View {
  /** As this address names it (D61). */
  sandbox: string
  environment: Environment
  apiKey: string
  /** Where the sandbox's own environment is served. */
  base: string
  sandboxes: readonly string[]
  links: Links
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
  /** What is due next. */
  due: DueGroup | undefined
  /** Another text whenever something has happened that a page may show. */
  state: string
  armed: number
  /** Events whose last attempt has failed: tried again, and given up. */
  troubled: ReturnType<Browse['troubled']>
  /** Whether its requests come from a real service's, which it is played beside. */
  hasRealService: boolean
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
  | 'real-service'
  | 'outbox'
  | 'events'
  | 'behaviors'
  | 'sandboxes'
  | 'reference'
  /** What a search found: no entry of the navigation. */
  | 'find'

export interface ActionResult {
  tone: 'good' | 'bad' | 'plain'
  text: string
  /** What happened while the clock moved, in order. */
  list?: readonly { at: string; id: string; detail: string }[]
}
