/** The input of every page, for its frame, links and forms. */
import type { Context } from 'hono'
import { contractOf } from '../../spec/contract/contract.ts'
import { type Environment, qualifiedName } from '../../spec/environments/environment.ts'
import type { Browse } from '../../tester/control/browse.ts'
import type { SandboxControl, Sandboxes } from '../../tester/control/control.ts'
import type { Guard } from '../../tester/control/guard.ts'
import type { ActionResult } from './actions.ts'
import type { BrowserSessions } from './browser-sessions.tsx'
import type { Library } from './library.ts'
import { linksOf, UI } from './links.ts'
import { BY_SCRIPT } from './live-events.ts'

/** The parts of the simulator that the pages use, besides the sandbox that they show. */
export interface DashboardParts extends Guard {
  sandboxes: Sandboxes
  /** Answers a request below `/_sim`. */
  testersSide(request: Request): Response | Promise<Response>
  /** Answers a request of a platform, at the address of that environment. */
  platformSide(environment: Environment, request: Request): Promise<Response>
  /** Aborted when the simulator closes, because an open stream would keep its server waiting. */
  closing: AbortSignal
  bug(cause: unknown, client: AbortSignal): void
}

export interface Dashboard extends DashboardParts {
  sessions: BrowserSessions
  library: Library
}

export type View = ReturnType<typeof viewOf>

/** The view of a sandbox that a request asks for. */
export function viewOf(
  { sandboxes, sessions, adminToken, publicUrl }: Dashboard,
  c: Context,
  control: SandboxControl,
  browse: Browse,
  session: string,
) {
  const { environment } = qualifiedName(control.name, sandboxes.environment)
  const origin = publicUrl ?? new URL(c.req.url).origin
  const { name: sandbox } = control
  const mayTake = c.req.method === 'GET' && !c.req.header(BY_SCRIPT)
  let notice: ActionResult | undefined
  return {
    /** The sandbox's name at this address (D61). */
    sandbox,
    environment,
    apiKey: control.apiKey,
    /** The address of the sandbox's environment. */
    base: environment === sandboxes.environment ? origin : (control.describe().url ?? origin),
    links: linksOf(sandbox, contractUnder(control), browse.orderName),
    /** The base address of curl commands. */
    origin,
    /** Whether requests need the admin token. */
    guarded: adminToken !== undefined,
    /** The form token of the session. */
    token: sessions.formToken(session),
    /** The entry of the navigation that the page highlights. */
    here: PLACE.exec(pathOf(c))![1]!.replace('events', 'webhooks'),
    /** The page's own address, to which its forms return. */
    path: pathOf(c),
    clock: control.clock.read(),
    /** What is due next. */
    due: browse.due(1).groups[0],
    state: browse.state,
    armed: control.behaviors().filter(({ left }) => left !== 0).length,
    /** Events whose last attempt has failed: being retried, and given up. */
    troubled: browse.troubled(),
    /** The result of the last action. Only the first page that shows it takes it. */
    get notice() {
      if (mayTake) notice ??= sessions.takeNotice(session)
      return notice
    },
  }
}

/** The first part of a page's path, after its sandbox. */
const PLACE = new RegExp(`^${UI}(?:/sandboxes/[^/]+)?/?([^/?]*)`)

/** The requested address, to which the page's forms return. */
export const pathOf = (c: Context): string => c.req.path + new URL(c.req.url).search

export const contractUnder = (control: SandboxControl) => contractOf(control.describe().profile ?? undefined)

/** The pages of the navigation. */
export const PAGES = [
  { page: '', label: 'Orders' },
  { page: 'requests', label: 'Requests' },
  { page: 'resources', label: 'Resources' },
  { page: 'ledger', label: 'Ledger' },
  { page: 'audit', label: 'Audit' },
  { page: 'outbox', label: 'Outbox' },
  { page: 'webhooks', label: 'Webhooks' },
  { page: 'behaviors', label: 'Behaviors' },
  { page: 'sandboxes', label: 'Sandboxes' },
] as const

export type DashboardPage = (typeof PAGES)[number]['page']
