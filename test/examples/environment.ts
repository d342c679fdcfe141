/** The variables of an example. */
import { expect } from 'vitest'
import { commandOptions } from '../../src/spec/options/option.ts'
import { resolveOptions } from '../../src/spec/options/read.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'

/** Fails on a variable that paysim does not have, and on an invalid value. */
export function readEnvironment(environment: Record<string, string>): void {
  const known = commandOptions(START_OPTIONS).map(({ env }) => env)
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  resolveOptions('start', START_OPTIONS, { flags: {}, env: environment })
}
