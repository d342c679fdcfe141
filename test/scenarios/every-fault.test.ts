/** Requirements for each fault: a scenario with it; and for each connection fault also a trouble and its coverage. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAULTS } from '../../src/sandbox/behaviors/faults/registry.ts'
import type { Do } from '../../src/sandbox/scenario-file/do.ts'
import { openBeside, parseScenarios } from '../../src/sandbox/scenario-file/read.ts'
import { CONNECTION_FAULT_KINDS, mayActBefore } from '../../src/spec/contract/connection-fault.ts'
import { auditOf, judgePicture } from '../../src/tester/audit/judge.ts'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { pictureOf, refund } from '../audit/picture.ts'

const scenarios = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'))
const SHOWN = scenarios
  .filter((name) => name !== 'setups.yaml')
  .flatMap((name) =>
    parseScenarios(readFileSync(`scenarios/${name}`, 'utf8'), `scenarios/${name}`, openBeside),
  )
  .flatMap(({ behaviors = [] }) => behaviors.map((behavior) => behavior.do))
const ARMED = CATALOG.flatMap(({ behaviors }) => behaviors.map((behavior) => behavior.do as Do))

const isFault = (words: Do, kind: string, at?: string) =>
  'fault' in words && words.fault === kind && (at === undefined || words.at === at)

test.for(Object.keys(FAULTS))('a scenario demonstrates %s', (verb) => {
  expect(SHOWN.filter((words) => verb in words)).not.toEqual([])
})

describe.each(CONNECTION_FAULT_KINDS)('%s', (kind) => {
  test('has a scenario', () => {
    expect(SHOWN.filter((words) => isFault(words, kind))).not.toEqual([])
  })

  test('is a trouble of the gauntlet, at each point where it can act', () => {
    for (const at of mayActBefore(kind) ? ['before', 'after-commit'] : [undefined])
      expect(ARMED.filter((words) => isFault(words, kind, at))).not.toEqual([])
  })

  test('counts as a kind of trouble in the coverage', () => {
    const { coverage } = auditOf(judgePicture(pictureOf([refund({ fault: kind })])))
    expect(coverage.filter(({ times }) => times > 0)).toHaveLength(1)
  })
})
