/**
 * The format of a scenario file: what the environment does (`behaviors`), and what a client does and must receive
 * (`steps`). Types, checks and the JSON Schema for editors derive from these schemas.
 */
import { z } from 'zod'
import { Duration } from '../contract/duration.ts'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { metaOf, withoutDefaults } from '../options/option.ts'
import { SandboxSettings } from '../options/sandbox.ts'
import { Behavior } from './behavior.ts'
import { ScenarioStep, TimeText } from './step.ts'

/** Key and webhook are the player's own, and magic values and seed data stand in files of their own. */
const { shape: sandboxOptions } = SandboxSettings.omit({
  apiKey: true,
  signingSecret: true,
  webhook: true,
  staging: true,
  fixture: true,
})

export const ScenarioSandbox = z
  .strictObject({
    ...withoutDefaults(sandboxOptions),
    clock: z
      .strictObject({
        at: TimeText.optional().describe('Where a frozen clock stands; left out, now'),
        mode: z
          .enum(['frozen', 'real'])
          .default('frozen')
          .describe('frozen: only a tester moves it. real: it runs'),
      })
      .refine(({ at, mode }) => mode === 'frozen' || at === undefined, {
        path: ['at'],
        error: 'goes only with mode: frozen, as a real clock shows the real time',
      })
      .optional(),
    refundDelay: Duration.describe(metaOf(sandboxOptions.refundDelay)!.help).optional(),
  })
  .meta({ id: 'Sandbox', description: 'The fresh sandbox that the file is played in' })

export const Scenario = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).describe('What happens, in one line'),
    why: z.string().optional().describe('What goes wrong in a client that is not prepared for it'),
    tags: z
      .array(z.string().regex(/^[\w.-]+$/, 'must be a word such as refunds or slow'))
      .optional()
      .describe('Words by which paysim run --tag chooses files'),
    only: z.string().min(1).optional().describe('Why only this file, and others that say so, is played now'),
    skip: z.string().min(1).optional().describe('Why this file is not played'),
    target: z
      .literal('any', { error: 'must be any' })
      .optional()
      .describe(
        'any: paysim run --target --api-key may send what removes, replaces or ends something (DELETE, PUT, PATCH, cancel, void); without it such a file is skipped there',
      ),
    sandbox: ScenarioSandbox.optional(),
    behaviors: z
      .array(Behavior)
      .max(TESTER_LIMITS.behaviors.max)
      .optional()
      .describe('What the environment does'),
    steps: z.array(ScenarioStep).optional().describe('What a client does and must receive'),
  })
  .refine(({ behaviors = [], steps = [] }) => behaviors.length + steps.length > 0, {
    error: 'must have behaviors, steps or both',
  })

/** A file as it is read: durations are milliseconds. */
export type Scenario = z.output<typeof Scenario>

/** The JSON Schema of the file as it is written, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return { title: 'A paysim scenario', ...z.toJSONSchema(Scenario, { io: 'input', target: 'draft-7' }) }
}

/** How a sandbox is asked for: as the file writes it. */
export const sandboxAsWritten = (scenario: Scenario): z.input<typeof ScenarioSandbox> =>
  z.encode(ScenarioSandbox, scenario.sandbox ?? {})
