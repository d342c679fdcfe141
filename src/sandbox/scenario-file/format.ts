/**
 * The format of a scenario file: what the environment does (`behaviors`), and what a client does and must receive
 * (`steps`). Types, checks and the JSON Schema for editors derive from these schemas.
 */
import { z } from 'zod'
import { Duration } from '../../spec/contract/duration.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { metaOf, withoutDefaults } from '../../spec/options/option.ts'
import { SandboxSettings } from '../../spec/options/sandbox.ts'
import { Behavior } from './behavior.ts'
import { ReceiverScript } from './receiver.ts'
import { TimeText } from './sim-command.ts'
import { ScenarioStep } from './step.ts'

/** Not allowed in a file: the player sets key and webhook, and test values and seed data have their own files. */
const { shape: sandboxOptions } = SandboxSettings.omit({
  apiKey: true,
  signingSecret: true,
  webhook: true,
  testValues: true,
  fixture: true,
})

const NewSandbox = z.strictObject({
  ...withoutDefaults(sandboxOptions),
  clock: z
    .strictObject({
      at: TimeText.optional().describe('The time of a frozen clock; default: now'),
      mode: z
        .enum(['frozen', 'real'])
        .default('frozen')
        .describe('frozen: moved only by a tester, and by until. real: it runs'),
    })
    .refine(({ at, mode }) => mode === 'frozen' || at === undefined, {
      path: ['at'],
      error: 'can only be combined with mode: frozen, because a real clock shows the real time',
    })
    .meta({ examples: [{ mode: 'frozen' }] })
    .optional()
    .describe('Default: a real clock. With clock it is frozen, unless mode is real'),
  ...byDelayOption((option) => Duration.describe(metaOf(sandboxOptions[option])!.help).optional()),
})

const ScenarioSandbox = NewSandbox.extend({ receiver: ReceiverScript.optional() }).meta({
  id: 'Sandbox',
  description: 'The fresh sandbox that the file is played in',
})

/** A name for use in `${…}`. */
const ValueName = z
  .string()
  .regex(/^(?!(?:uuid|env|item|i)$)[A-Za-z_][\w-]*$/, 'must be a name of letters, digits, _ and -')

const Case = z
  .object({ name: z.string().min(1).describe('What this case changes') })
  .catchall(z.unknown().describe('A value that ${…} stands for in sandbox, behaviors and steps'))

/** Steps are not checked here, but after expansion, when their values are filled in. */
const Setup = z
  .strictObject({
    values: z
      .record(ValueName, z.unknown())
      .optional()
      .describe(
        'Default values for ${…} in its steps, which a use may override. null: a use must provide the value',
      )
      .meta({ examples: [{ amount: 250 }] }),
    steps: z
      .array(z.unknown())
      .min(1)
      .meta({ examples: [[{ call: 'POST /v1/customers' }]] }),
  })
  .meta({ id: 'Setup', description: 'Named steps, played by use: NAME' })

const reason = z.string({ error: 'must be the reason, as a text' }).min(1)

export const Scenario = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).describe('What happens, in one line'),
    why: z.string().optional().describe('The bug that it reveals in a client'),
    tags: z
      .array(z.string().regex(/^[\w.-]+$/, 'must be a word such as refunds or slow'))
      .optional()
      .describe('Words by which paysim run --tag chooses files')
      .meta({ examples: [['refunds', 'slow']] }),
    only: reason.optional().describe('Why only this file and others with only are played now'),
    skip: reason.optional().describe('Why this file is not played'),
    target: z
      .literal('any', { error: 'must be any' })
      .optional()
      .describe(
        'any: with paysim run --target --api-key, the file may remove, replace or end something (DELETE, PUT, PATCH, cancel, void); otherwise such a file is skipped',
      ),
    sandbox: ScenarioSandbox.optional(),
    behaviors: z
      .array(Behavior)
      .max(TESTER_LIMITS.behaviors.max)
      .optional()
      .describe('What the environment does')
      .meta({ examples: [[{ do: { respond: 503 } }]] }),
    cases: z
      .array(Case)
      .min(1)
      .max(1000)
      .optional()
      .describe("Plays the steps once for each row, in its own sandbox and with the row's values")
      .meta({ examples: [[{ name: 'too much', amount: 250.01 }]] }),
    setups: z
      .record(z.string().regex(/^[\w-]+$/, 'must be a name of letters, digits, _ and -'), Setup)
      .optional()
      .describe('Named steps, to use in this file or in others')
      .meta({ examples: [{ customer: { steps: [{ call: 'POST /v1/customers' }] } }] }),
    steps: z
      .array(ScenarioStep)
      .optional()
      .describe('What a client does and must receive')
      .meta({ examples: [[{ call: 'GET /v1/checkouts' }]] }),
  })
  .refine(
    ({ behaviors = [], steps = [], setups = {} }) =>
      behaviors.length + steps.length + Object.keys(setups).length > 0,
    { error: 'must have behaviors, steps or both' },
  )
  .meta({ examples: [{ name: 'Checkouts are listed', steps: [{ call: 'GET /v1/checkouts' }] }] })

/** A scenario as parsed and expanded: durations are milliseconds, and each case is a separate scenario. */
export type Scenario = z.output<typeof Scenario> & {
  /** The name of its case, in a file with cases. */
  case?: string
}

/**
 * The JSON Schema of a file, for editors: the form before expansion, and a placeholder may stand for any
 * value.
 */
export function scenarioJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(Scenario, {
    io: 'input',
    target: 'draft-7',
    override({ zodSchema, jsonSchema, path }) {
      // zod omits examples of types that it transforms, such as durations, so they are added here.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {}
      if (Array.isArray(examples)) jsonSchema.examples = examples
      const { properties } = jsonSchema
      if (isNarrow(jsonSchema) && !path.includes('propertyNames')) {
        const value = { ...jsonSchema }
        for (const key of Object.keys(value)) delete jsonSchema[key]
        const { description, id, ...inner } = value
        Object.assign(jsonSchema, {
          ...(id && { id }),
          ...(description && { description }),
          anyOf: [inner, PLACEHOLDER],
        })
      }
      // `steps` of a `use` exist only in the expanded form, so editors do not see them.
      if (properties?.use && properties.steps) {
        delete properties.steps
        jsonSchema.required = ['use']
      }
      if (properties?.values && properties.steps) properties.steps = { ...LIST_OF_STEPS }
    },
  })
  return { ...withTitles<object>(schema, 'scenario'), title: 'A paysim scenario' }
}

/**
 * Gives each object a title, by its first required key: an editor lists the forms of a union by their titles,
 * and takes the nearest title above for a form without one.
 */
function withTitles<Schema>(schema: Schema, name: string): Schema {
  if (Array.isArray(schema)) return schema.map((inner) => withTitles(inner, name)) as Schema
  if (!isObject(schema)) return schema
  const named = (schemas: object) =>
    Object.fromEntries(Object.entries(schemas).map(([key, inner]) => [key, withTitles(inner, key)]))
  const titled = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties' || key === 'definitions') return [key, named(value as object)]
    // A reference with a description. Editors insert a key's colon after `anyOf`, but not after `allOf`.
    if (key === 'allOf') return ['anyOf', withTitles(value, name)]
    const isSchema = ['items', 'anyOf', 'additionalProperties'].includes(key)
    return [key, isSchema ? withTitles(value, name) : value]
  })
  const [first = name] = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(schema.type === 'object' ? [...titled, ['title', first]] : titled)
}

const PLACEHOLDER = { type: 'string', pattern: '\\$\\{' } as const

/** Whether a schema refuses some texts, so that a placeholder has to be allowed explicitly. */
const isNarrow = ({ type, pattern, enum: words, const: only }: z.core.JSONSchema.BaseSchema): boolean =>
  ['number', 'integer', 'boolean'].includes(String(type)) ||
  pattern !== undefined ||
  words !== undefined ||
  only !== undefined

const LIST_OF_STEPS = { type: 'array', minItems: 1, items: { $ref: '#/definitions/Step' } } as const

/** The request for a sandbox, with values in the file's form; without `receiver`, which the player handles. */
export function sandboxAsWritten({ sandbox = {} }: Scenario): z.input<typeof NewSandbox> {
  const { receiver: _, ...options } = sandbox
  return z.encode(NewSandbox, options)
}
