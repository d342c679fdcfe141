/** Each of staging's shortcuts in both environments. */
import { describe, expect, test } from 'vitest'
import { ENVIRONMENTS } from '../../src/spec/environments/environment.ts'
import { openSimulator } from '../control/shop.ts'
import { SEED, STEPS, stageOf } from './steps.ts'

describe.each(ENVIRONMENTS)('in %s', (environment) => {
  test.each(STEPS)('$step', async (step) => {
    const simulator = openSimulator()
    const address = environment === 'staging' ? simulator : simulator.production
    const shop = address.sandbox('shop', { seed: SEED })
    expect(await step.take(stageOf(address, shop))).toBe(step[environment])
  })
})
