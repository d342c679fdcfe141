/**
 * What a tester can do with a sandbox, each verb in one row: its address, the type of its method, the schemas of its request and
 * response, and its function. The methods of the embedded object and of `paysim/control`, the routes of `/_sim` and their
 * document, MCP tools, `sim` steps and the dashboard's forms are all derived from it. Methods that need not wait are synchronous;
 * lists are in chronological order; amounts are decimal and times ISO 8601, as under `/v1`. A refusal is thrown, with its HTTP
 * `status`.
 */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { TestValue } from '../../service/environments/rules.ts'
import { byDelayOption, type DelayOption } from '../../spec/contract/resources/timed.ts'
import { withoutDefaults } from '../../spec/options/option.ts'
import { readOptions } from '../../spec/options/read.ts'
import { SANDBOX_OPTIONS, type SandboxOptions } from '../../spec/options/sandbox.ts'
import { BEHAVIOR_VERBS } from './behavior-verbs.ts'
import { CLOCK_ROUTE, CLOCK_VERBS } from './clock-verbs.ts'
import { describe } from './describe.ts'
import { HAND_VERBS } from './hand-verbs.ts'
import { HISTORY_VERBS } from './history-verbs.ts'
import { JOURNAL_VERBS } from './journal-verbs.ts'
import type { Remote } from './remote-call.ts'
import { type ControlRoute, routesIn } from './route.ts'
import { runUnit } from './run-unit.ts'
import type { SandboxDescription } from './shapes.ts'
import { STATE_VERBS } from './state-verbs.ts'
import { methodOnly, routeOnly, type Steered, verb } from './steered.ts'
import { firstWord, type MethodsOf } from './verb.ts'
import { WEBHOOK_VERBS } from './webhook-verbs.ts'

const { rateLimit, requireApproval, audit } = SANDBOX_OPTIONS

/** The settings that can be changed while a sandbox runs. Others, such as the seed and the profile, have shaped its data already. */
const SettingsChange = z.strictObject(
  withoutDefaults({
    rateLimit,
    ...byDelayOption((option) => SANDBOX_OPTIONS[option]),
    requireApproval,
    audit,
  }),
)

/** Omitted settings do not change. */
export interface SettingsChange
  extends Pick<SandboxOptions, 'rateLimit' | DelayOption | 'requireApproval' | 'audit'> {}

/** Changes settings from the next request on. They are stored, so they survive a restart and a reset, and copies have them. */
function configure(internals: Sandbox, given: SettingsChange): void {
  const { config, rateLimit: limit } = internals
  const changes = readOptions(SettingsChange, given)
  const { webhook: _, ...others } = { ...config, ...changes }
  runUnit(internals, ({ store }) => store.settings.put('config', others))
  Object.assign(config, changes)
  if (changes.rateLimit !== undefined) limit.limit = changes.rateLimit
}

/** Below `/_sim` for the sandbox `default`, below `/_sim/sandboxes/{sandbox}` for any. */
export const SANDBOX_VERBS = {
  describe: methodOnly<() => SandboxDescription>()('GET ', {
    summary: 'Its keys, its settings, its clock and where it is served',
    does: ({ name, internals }) =>
      describe(name, internals.config, internals.committedSummary(), internals.address.url()),
  }),
  configure: verb<(settings: SettingsChange) => void>()('PUT /settings', {
    id: 'settings.change',
    summary: 'Change settings of the running sandbox; omitted settings do not change',
    more: 'They apply from the next request on',
    body: SettingsChange.meta({ id: 'SettingsChange' }),
    does: ({ internals }, settings) => configure(internals, settings),
  }),
  ...CLOCK_VERBS,
  ...STATE_VERBS,
  ...JOURNAL_VERBS,
  ...HISTORY_VERBS,
  ...WEBHOOK_VERBS,
  ...BEHAVIOR_VERBS,
  ...HAND_VERBS,
  testValues: verb<() => TestValue[]>()('GET /test-values', {
    answers: 'list',
    summary: 'What can be typed in staging to get a known outcome',
    answer: z
      .object({ what: z.string(), value: z.string(), why: z.string(), where: z.string() })
      .meta({ id: 'TestValue' }),
    does: ({ internals }) => internals.services.rules.testValues(),
  }),
}

// The build replaces both by a list of all methods with comments (written-types.ts), because some editors show none through these
// types.
export interface SandboxMethods extends MethodsOf<typeof SANDBOX_VERBS> {}
/** The same methods, each returning a promise. */
export interface RemoteMethods extends Remote<SandboxMethods> {}

const ROUTES: readonly ControlRoute<Steered>[] = [
  ...routesIn<Steered>(SANDBOX_VERBS),
  CLOCK_ROUTE,
  routeOnly('DELETE /behaviors', {
    id: 'disarm',
    summary: 'Disarm all behaviors',
    run: ({ internals }) => void internals.behaviors.armed.disarm(),
  }),
]

const WORDS = ROUTES.map(firstWord)
/** Routes whose paths start with the same word are adjacent, because documents and tools have this order. */
export const SANDBOX_ROUTES = ROUTES.toSorted(
  (a, b) => WORDS.indexOf(firstWord(a)) - WORDS.indexOf(firstWord(b)),
)
