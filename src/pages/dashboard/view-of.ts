/** The view of a sandbox that a request asks for. */
import type { Context } from 'hono'
import { qualifiedName } from '../../spec/environments/environment.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Dashboard } from './dashboard-parts.ts'
import { linksOf } from './links.ts'
import { contractUnder, pathOf } from './page-request.ts'
import type { DashboardPage, View } from './view.ts'

/** The menu lists the latest sandboxes; their page lists more. */
const SANDBOXES_TO_SWITCH_TO = 50

export function viewOf(
  { sandboxes, sessions, adminToken, publicUrl, shadow, gauntlet }: Dashboard,
  c: Context,
  control: SandboxControl,
  session: string,
  here: DashboardPage,
): View {
  const { environment } = qualifiedName(control.name, sandboxes.environment)
  const origin = publicUrl ?? new URL(c.req.url).origin
  const { name: sandbox } = control
  return {
    sandbox,
    environment,
    apiKey: control.apiKey,
    base: environment === sandboxes.environment ? origin : (control.describe().url ?? origin),
    sandboxes: sandboxes
      .sandboxes()
      .slice(-SANDBOXES_TO_SWITCH_TO)
      .map(({ name }) => name),
    links: linksOf(sandbox, contractUnder(control), control.browse.orderName),
    origin,
    guarded: adminToken !== undefined,
    token: sessions.formToken(session),
    here,
    path: pathOf(c),
    clock: control.clock.read(),
    movedBetween: control.browse.movedBetween,
    due: control.browse.due(1).groups[0],
    state: stateShown(control, shadow),
    troubled: control.browse.troubled(),
    armed: control.behaviors().filter(({ left }) => left !== 0).length,
    hasGauntlet: gauntlet !== undefined,
    hasRealService: shadow !== undefined && sandbox === DEFAULT_SANDBOX,
    notice: undefined,
  }
}

/** A text that changes whenever something has happened that a page may show. */
export const stateShown = (control: SandboxControl, shadow: Dashboard['shadow']): string =>
  `${control.browse.state}.${shadow?.count ?? 0}`
