/** The listed form of a sandbox: its keys, its settings, its clock and where it is served. */
import { z } from 'zod'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import { needsApproval } from '../../service/environments/rules.ts'
import { rulesOf } from '../../service/environments/rules-of.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { RATE_LIMIT_REQUESTS } from '../../spec/contract/limits.ts'
import type { SandboxConfig } from '../../spec/options/sandbox.ts'
import { Clock } from '../../spec/world/clock.ts'
import { SandboxDescription } from './shapes.ts'
import { shownEndpoint } from './webhook-verbs.ts'

/** Described without its database, so that lists wake none. */
export function describe(
  name: string,
  config: SandboxConfig,
  { clock: state, endpoint }: SandboxSummary,
  url: string | undefined,
): SandboxDescription {
  const clock = new Clock(state)
  return z.encode(SandboxDescription, {
    ...config,
    name,
    rateLimit: config.rateLimit ?? RATE_LIMIT_REQUESTS,
    profile: config.profile ?? null,
    seed: config.seed ?? null,
    requireApproval: needsApproval(config, rulesOf(config, contractOf(config.profile).currency)),
    signingSecret: endpoint?.secret ?? config.signingSecret,
    url: url ?? null,
    clock: { now: clock.now(), frozen: clock.frozen },
    webhook: shownEndpoint(endpoint),
    expiresAt: config.expiresAt ?? null,
  })
}
