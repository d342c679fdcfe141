/** The interfaces that editors show take what the schemas take. */
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import type { Behavior } from '../../src/sandbox/scenario-file/behavior.ts'
import type { Given } from '../../src/spec/options/option.ts'
import type {
  ConductOptions,
  SANDBOX_OPTIONS,
  SandboxOptions,
  WebhookOptions,
} from '../../src/spec/options/sandbox.ts'
import type { SIMULATOR_OPTIONS, SimulatorOptions } from '../../src/spec/options/simulator.ts'

/** One property each: a type with other properties is another type. */
type Names<Interface> = keyof Required<Interface>

test('the compiler finds the same properties in both', () => {
  expectTypeOf<SandboxOptions>().toExtend<Given<typeof SANDBOX_OPTIONS>>()
  expectTypeOf<SimulatorOptions>().toExtend<Given<typeof SIMULATOR_OPTIONS>>()
  expectTypeOf<Names<SimulatorOptions>>().toEqualTypeOf<
    Names<typeof SANDBOX_OPTIONS & typeof SIMULATOR_OPTIONS>
  >()
  expectTypeOf<WebhookOptions>().toExtend<z.input<typeof WebhookOptions>>()
  expectTypeOf<z.input<typeof WebhookOptions>>().toExtend<WebhookOptions>()
  expectTypeOf<ConductOptions>().toExtend<z.input<typeof ConductOptions>>()
  expectTypeOf<z.input<typeof ConductOptions>>().toExtend<ConductOptions>()
  // A behavior is taken as a file writes it, as it was read, and with milliseconds in place of texts.
  expectTypeOf<z.input<typeof Behavior>>().toExtend<Armable>()
  expectTypeOf<Behavior>().toExtend<Armable>()
})
