/** A sandbox's rules, chosen once when it is created. */
import type { Environment } from '../../spec/environments/environment.ts'
import type { StagingValues } from '../../spec/environments/values.ts'
import { productionRules } from './production.ts'
import type { EnvironmentRules } from './rules.ts'
import { stagingRules } from './staging.ts'

interface Settings {
  environment: Environment
  testValues: StagingValues
  seed?: number | undefined
}

/** `currency`: for the amounts in the rules' texts. */
export const rulesOf = ({ environment, testValues, seed }: Settings, currency: string): EnvironmentRules =>
  environment === 'production'
    ? productionRules(testValues, currency, seed)
    : stagingRules(testValues, currency)
