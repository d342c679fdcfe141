/** The parts of the simulator that a dashboard's pages use, besides the sandbox that they show. */

import type { Environment } from '../../spec/environments/environment.ts'
import type { Sandboxes } from '../../tester/control/control.ts'
import type { Guard } from '../../tester/control/guard.ts'
import type { BrowserSessions } from './browser-sessions.tsx'
import type { Library } from './library.ts'

/** Provided by the simulator. */
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
