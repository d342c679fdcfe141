/** The methods of a container that set the delays of moves by time. */
import { expect, test } from 'vitest'
import { capitalized } from '../../src/spec/contract/counted.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { PaysimContainer } from '../../src/testcontainers.ts'

test.for(TIMED_MOVES)('a container sets $option by the variable that paysim reads', ({ option }) => {
  const { env } = commandOptions(START_OPTIONS).find(({ name }) => name === option)!
  const container = new PaysimContainer()[`with${capitalized(option)}` as 'withRefundDelay']('3d')
  expect(Reflect.get(container, 'environment')).toEqual({ [env]: '3d' })
})
