/** The definitions of the resources agree with one another. */
import { expect, test } from 'vitest'
import { SIM_COMMANDS } from '../../src/sandbox/scenario-file/sim-command.ts'
import { TESTER_ACTS } from '../../src/spec/contract/resources/by-tester.ts'
import type { ResourceField } from '../../src/spec/contract/resources/field.ts'
import { BY_NAME, DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { LEDGER_KINDS } from '../../src/spec/contract/resources/ledger.ts'
import { MONEY_CAUSES, PAYMENT_KINDS } from '../../src/spec/contract/resources/movements.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'

test.for(MONEY_CAUSES)('$event either takes a payment or refunds it', ({ name, kind }) => {
  expect(LEDGER_KINDS[kind].sign).toBe(DEFINITIONS[name].order === 'payment' ? -1 : 1)
})

test.for(BY_NAME)('a $name has the order of the payment that it names, if it names one', (definition) => {
  const namesPayment = PAYMENT_KINDS.some((kind) => `${kind}Id` in definition.fields)
  expect(definition.order === 'payment').toBe(namesPayment)
})

test.for(BY_NAME)('a list of a $name has a filter by each payment that it names', ({ fields }) => {
  const named = Object.entries<ResourceField>(fields).filter(([name]) =>
    PAYMENT_KINDS.some((kind) => name === `${kind}Id`),
  )
  // The story of the payment looks them up by it.
  expect(named.filter(([, { options }]) => options.filter !== 'few')).toEqual([])
})

test('each timed transition has its own kind, because a profile has one delay for each kind, and its own option', () => {
  expect(new Set(TIMED_MOVES.map(({ kind }) => kind)).size).toBe(TIMED_MOVES.length)
  expect(new Set(TIMED_MOVES.map(({ option }) => option)).size).toBe(TIMED_MOVES.length)
})

test.for(BY_NAME)('no field of a $name has an SQL rule without a column', ({ fields }) => {
  const rows = Object.entries<ResourceField>(fields).filter(([, { inRows }]) => inRows)
  expect(rows.filter(([, { options }]) => options.check || options.unique)).toEqual([])
})

test.for(TESTER_ACTS)('$verb starts from states that the $of has', ({ of, from }) => {
  expect(DEFINITIONS[of].states).toEqual(expect.arrayContaining(from === 'any' ? [] : [...from]))
})

test('each tester action has its own word in scenarios', () => {
  const words = TESTER_ACTS.map(({ word }) => word)
  expect(new Set(words).size).toBe(words.length)
  for (const { word, verb } of TESTER_ACTS) expect(SIM_COMMANDS[word].verb).toBe(verb)
})
