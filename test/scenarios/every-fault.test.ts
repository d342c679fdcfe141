/** Each fault has a scenario; armed-troubles.test.ts requires a trouble for each connection fault. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULTS } from '../../src/sandbox/behaviors/faults/registry.ts'
import { openBeside, parseScenarios } from '../../src/sandbox/scenario-file/read.ts'
import { CONNECTION_FAULT_KINDS } from '../../src/spec/contract/connection-fault.ts'

const scenarios = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'))
const SHOWN = scenarios
  .filter((name) => name !== 'setups.yaml')
  .flatMap((name) =>
    parseScenarios(readFileSync(`scenarios/${name}`, 'utf8'), `scenarios/${name}`, openBeside),
  )
  .flatMap(({ behaviors = [] }) => behaviors.map((behavior) => behavior.do))

test.for(Object.keys(FAULTS))('a scenario demonstrates %s', (verb) => {
  expect(SHOWN.filter((words) => verb in words)).not.toEqual([])
})

test.for(CONNECTION_FAULT_KINDS)('a scenario demonstrates the fault %s', (kind) => {
  expect(SHOWN.filter((words) => 'fault' in words && words.fault === kind)).not.toEqual([])
})
