/** The interfaces that editors show take what the schemas take. */
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import type { Behavior } from '../../src/sandbox/scenario-file/behavior.ts'

test('a behavior is taken as a file writes it, as it was read, and with milliseconds in place of texts', () => {
  expectTypeOf<z.input<typeof Behavior>>().toExtend<Armable>()
  expectTypeOf<Behavior>().toExtend<Armable>()
})
