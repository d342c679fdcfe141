/** The rules of a sandbox, chosen once, when it is made. */
import type { Environment } from '../../spec/environments/environment.ts'
import type { StagingValues } from '../../spec/environments/values.ts'
import { productionRules } from './production.ts'
import type { EnvironmentRules } from './rules.ts'
import { stagingRules } from './staging.ts'

interface Settings {
  staging: StagingValues
  seed?: number | undefined
}

const RULES: Readonly<Record<Environment, (settings: Settings, currency: string) => EnvironmentRules>> = {
  staging: ({ staging }, currency) => stagingRules(staging, currency),
  production: ({ staging, seed }, currency) => productionRules(staging, currency, seed),
}

/** `currency`: of the amounts in what the rules say. */
export const rulesOf = (
  { environment, ...settings }: Settings & { environment: Environment },
  currency: string,
): EnvironmentRules => RULES[environment](settings, currency)
