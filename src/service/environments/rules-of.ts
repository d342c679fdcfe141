/** The rules of a sandbox, chosen once, when it is made. */
import type { Environment } from '../../spec/environments/environment.ts'
import type { StagingValues } from '../../spec/environments/values.ts'
import { productionRules } from './production.ts'
import type { EnvironmentRules } from './rules.ts'
import { stagingRules } from './staging.ts'

const RULES: Readonly<Record<Environment, (values: StagingValues, seed?: number) => EnvironmentRules>> = {
  staging: stagingRules,
  production: productionRules,
}

export const rulesOf = (environment: Environment, values: StagingValues, seed?: number): EnvironmentRules =>
  RULES[environment](values, seed)
