/**
 * The settings of a sandbox that can be changed while it runs. Others, such as the seed and the profile, have shaped its data
 * already.
 */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { byDelayOption, type DelayOption } from '../../spec/contract/resources/timed.ts'
import { withoutDefaults } from '../../spec/options/option.ts'
import { readOptions } from '../../spec/options/read.ts'
import { SANDBOX_OPTIONS, type SandboxOptions } from '../../spec/options/sandbox.ts'
import { runUnit } from './run-unit.ts'

const { rateLimit, requireApproval, audit } = SANDBOX_OPTIONS

export const SettingsChange = z.strictObject(
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
export function configure(internals: Sandbox, given: SettingsChange): void {
  const { config, rateLimit: limit } = internals
  const changes = readOptions(SettingsChange, given)
  const { webhook: _, ...others } = { ...config, ...changes }
  runUnit(internals, ({ store }) => store.settings.put('config', others))
  Object.assign(config, changes)
  if (changes.rateLimit !== undefined) limit.limit = changes.rateLimit
}
