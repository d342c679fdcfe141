/** The settings of a sandbox that can be changed while it runs. The others have shaped its data already, such as the seed and the profile. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { withoutDefaults } from '../../spec/options/option.ts'
import { readOptions } from '../../spec/options/read.ts'
import { SANDBOX_OPTIONS, type SandboxOptions } from '../../spec/options/sandbox.ts'
import { runUnit } from './run-unit.ts'

const { rateLimit, refundDelay, requireApproval, audit } = SANDBOX_OPTIONS

export const SettingsChange = z.strictObject(
  withoutDefaults({ rateLimit, refundDelay, requireApproval, audit }),
)

/** A setting that is left out does not change. */
export interface SettingsChange
  extends Pick<SandboxOptions, 'rateLimit' | 'refundDelay' | 'requireApproval' | 'audit'> {}

/**
 * Changes settings from the next request on. They are stored, so a restart, a reset and a copy have them too.
 */
export function configure(internals: Sandbox, given: SettingsChange): void {
  const { config, rateLimit: limit } = internals
  const changes = readOptions(SettingsChange, given)
  const { webhook: _, ...others } = { ...config, ...changes }
  runUnit(internals, ({ store }) => store.settings.put('config', others))
  Object.assign(config, changes)
  if (changes.rateLimit !== undefined) limit.limit = changes.rateLimit
}
