/** The interfaces that editors show take what the schemas take, and say what the schemas say. */
import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import { Behavior, type Do, type When } from '../../src/sandbox/scenario-file/behavior.ts'
import type { Matcher } from '../../src/sandbox/scenario-file/matcher.ts'
import type { RequestExpectation } from '../../src/sandbox/scenario-file/requests.ts'
import type { BuyerOptions, NewPaymentMethod } from '../../src/spec/contract/tester.ts'
import type { Fixture } from '../../src/spec/options/fixture.ts'
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
  expectTypeOf<RequestExpectation>().toExtend<z.input<typeof RequestExpectation>>()
  expectTypeOf<z.input<typeof RequestExpectation>>().toExtend<RequestExpectation>()
  expectTypeOf<BuyerOptions>().toExtend<z.input<typeof BuyerOptions>>()
  expectTypeOf<NewPaymentMethod>().toExtend<z.input<typeof NewPaymentMethod>>()
  expectTypeOf<Fixture>().toExtend<z.input<typeof Fixture>>()
  expectTypeOf<z.input<typeof Fixture>>().toExtend<Fixture>()
  expectTypeOf<Matcher>().toExtend<z.input<typeof Matcher>>()
  // A behavior is taken as a file writes it, as it was read, and with milliseconds in place of texts.
  expectTypeOf<z.input<typeof Behavior>>().toExtend<Armable>()
  expectTypeOf<Behavior>().toExtend<Armable>()
  expectTypeOf<Names<Armable>>().toEqualTypeOf<Names<Behavior>>()
  expectTypeOf<Names<NonNullable<Armable['when']>>>().toEqualTypeOf<Names<When>>()
  type WordOf<Form> = Form extends unknown ? keyof Form : never
  expectTypeOf<WordOf<Armable['do']>>().toEqualTypeOf<WordOf<Do>>()
})

describe('a comment says what the schema says', () => {
  const source = ['armable', 'matcher']
    .map((name) =>
      readFileSync(new URL(`../../src/sandbox/scenario-file/${name}.ts`, import.meta.url), 'utf8'),
    )
    .join('\n')
  const comments = source.replaceAll(/\s*\n\s*\*?\s*/g, ' ').toLowerCase()
  const schema = JSON.stringify(z.toJSONSchema(Behavior, { io: 'input', unrepresentable: 'any' }))
  const described = new Set(
    [...schema.matchAll(/"description":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string),
  )
  /** These describe what several properties share. */
  const shared = [
    'Whole numbers with a unit',
    'Takes the place of',
    'Headers by name',
    'An event type',
    'The name of a gate',
  ]

  test.for([...described].filter((text) => !shared.some((start) => text.startsWith(start))))('%s', (text) => {
    expect(comments).toContain(text.toLowerCase())
  })
})
