/** The schema of a step: what a client does and must receive. Default expectation of a call: 2xx. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { EventPattern } from '../../spec/contract/event.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { LEDGER_KINDS, ofSums } from '../../spec/contract/resources/ledger.ts'
import { MESSAGE_TEMPLATES } from '../../spec/contract/tester.ts'
import { checkCountedOnce, countFields } from './count.ts'
import { Capture, Eventually, ExpectedAnswer, ExpectedStatus, ExpectOfMany, Until } from './expectation.ts'
import { Expected, Matcher, TextOrMatcher } from './matcher-schema.ts'
import { ReceiverScript } from './receiver.ts'
import { expectationFields } from './requests.ts'
import { SimCommand } from './sim-command.ts'
import { RealTime, StepDuration } from './step-duration.ts'

const RANGE = /^(\d{1,9})\.\.(\d{1,9})$/
const MAX_ITEMS = 1_000

export const EACH_RULE = `must be a range such as 1..20 or a list, of 1 to ${MAX_ITEMS} items`

/** The items of an `each`. Undefined for a value that is neither a range nor a list, or is too long. */
export function itemsOf(each: unknown): unknown[] | undefined {
  if (Array.isArray(each)) return each.length > 0 && each.length <= MAX_ITEMS ? each : undefined
  const [, from, to] = RANGE.exec(String(each)) ?? []
  const count = Number(to) - Number(from) + 1
  if (!(count >= 1 && count <= MAX_ITEMS)) return undefined
  return Array.from({ length: count }, (_, index) => Number(from) + index)
}

const COUNT = TESTER_LIMITS.count.max

const id = z.string().min(1).optional().describe('Names the step for repeat and sameAs')

// What a client does

const answer = {
  expect: ExpectedAnswer.optional(),
  capture: Capture.optional(),
  eventually: Eventually.optional(),
  until: Until.optional(),
}

const clientIp = z
  .string()
  .refine((text) => isIP(text) !== 0 || text.includes('${'), 'must be an IP address such as 203.0.113.7')
  .optional()
  .describe('The IP address of the client, for a rate limit per IP address')

const request = {
  id,
  clientIp,
  call: z
    .string()
    .regex(
      /^[A-Z]+ (\/|\$\{[^{}]*\})(\$\{[^{}]*\}|\S)*$/,
      'must be a method and a path, such as POST /v1/checkouts',
    )
    .describe('Method and path; the path may begin with a captured one: GET ${place}/refunds'),
  key: z.string().optional().describe('The Idempotency-Key'),
  json: z.unknown().optional().describe('The body, sent as JSON'),
  raw: z.string().optional().describe('The body, sent unchanged'),
  header: z
    .record(z.string(), z.union([z.string(), z.number(), z.null(), z.array(z.string()).min(1)]))
    .optional()
    .describe('Additional headers. null removes one that would be sent; a list sends it several times')
    .meta({ examples: [{ 'x-trace': 'a-1' }] }),
}

const repeat = {
  id,
  clientIp,
  repeat: z
    .string()
    .describe('The step whose request is repeated: same method, path, key, headers and bytes'),
}

const oneBody = ({ json, raw }: { json?: unknown; raw?: string | undefined }) =>
  json === undefined || raw === undefined
const BODY_RULE = { path: ['raw'], error: 'cannot be combined with json: a request has one body' }

const SimpleCall = z.strictObject({ ...request, ...answer }).refine(oneBody, BODY_RULE)
const SimpleRepeat = z.strictObject({ ...repeat, ...answer })

const Sim = z.strictObject({
  id,
  sim: SimCommand.describe("A command of the tester's API"),
  expect: z
    .strictObject({
      status: ExpectedStatus.optional().describe('Default 2xx'),
      json: Expected.optional().describe('What the body must contain'),
    })
    .optional()
    .describe("The response of the tester's API"),
  capture: Capture.optional(),
})

const Webhook = z.strictObject({
  id,
  webhook: z
    .strictObject({
      type: EventPattern.default('*'),
      data: Expected.optional().describe('What the resource in the event must contain'),
      ...countFields,
      events: z.int().min(0).max(COUNT).optional().describe('How many different events are delivered'),
      attempts: countFields.count.describe('How often each of these events is attempted'),
      at: z
        .array(StepDuration)
        .min(1)
        .optional()
        .describe(
          "The time of each attempt of an event, counted from its first one on the sandbox's clock; each may be less than a second late",
        )
        .meta({ examples: [['0s', '5s', '5m5s']] }),
      signature: z
        .enum(['valid', 'stale', 'invalid', 'missing'])
        .optional()
        .describe('The result of the signature check of each delivery'),
      order: z
        .array(EventPattern)
        .min(2)
        .optional()
        .describe('The types of these deliveries, in the order of their first arrival')
        .meta({ examples: [['refund.created', 'refund.completed']] }),
      within: RealTime.default('5s').describe('How long to wait for them, in real time'),
    })
    .superRefine(checkCountedOnce)
    .describe('The deliveries received since the start of the file, counting every attempt'),
  capture: Capture.optional().describe(
    'Captures values of the last of these deliveries: $ is its body, header.webhook-id a header',
  ),
})

const ReceiverStep = z.strictObject({
  id,
  receiver: ReceiverScript.describe('The responses of the webhook endpoint from now on'),
})

/** A number, a matcher, or a placeholder, whose value is known only when the step is played. */
const Amount = z.union([z.number(), Matcher, z.string().regex(/^\$\{[^{}]*\}$/, 'must be an amount')], {
  error: 'must be an amount or a matcher',
})

const Ledger = z.strictObject({
  id,
  ledger: z
    .strictObject(
      ofSums(
        (kind) => Amount.optional().describe(LEDGER_KINDS[kind].about),
        (kind) => Amount.optional().describe(`How many ${LEDGER_KINDS[kind].count}`),
      ),
    )
    .describe('The money that would have moved: sums in major units, and how many movements'),
  capture: Capture.optional().describe('Keeps sums for later: refunded: $.refunded'),
})

const Outbox = z.strictObject({
  id,
  outbox: z
    .strictObject({
      channel: z.enum(['email', 'sms']).optional().describe('How it would have been sent'),
      to: TextOrMatcher.optional().describe('The address or the number'),
      template: z
        .union([z.enum(MESSAGE_TEMPLATES), Matcher])
        .optional()
        .describe('What kind of message it is'),
      subject: TextOrMatcher.optional().describe('The subject of an e-mail'),
      body: TextOrMatcher.optional().describe('The text of the message'),
      relatedId: TextOrMatcher.optional().describe('The id of the resource that the message is about'),
      code: TextOrMatcher.optional().describe('The log-in code that the buyer enters'),
      ...countFields,
    })
    .superRefine(checkCountedOnce)
    .describe('The e-mails and text messages that would have been sent'),
  capture: Capture.optional().describe(
    'Captures values of the last of these messages: code: $.code, text: $.body',
  ),
})

const Requests = z.strictObject({
  id,
  requests: z
    .strictObject({
      ...expectationFields,
      apart: StepDuration.optional().describe(expectationFields.apart.description!),
      within: RealTime.optional().describe('How long to wait for them, in real time'),
    })
    .superRefine(checkCountedOnce)
    .describe('The requests under /v1 since the start of the file, and how they relate to each other'),
})

const Captured = z.strictObject({
  id,
  captured: z
    .record(z.string(), Expected)
    .refine((values) => Object.keys(values).length > 0, 'must name a captured value')
    .describe('The expected captured values by name: ids: { length: 250, unique: true }'),
})

/** A buyer's actions on the hosted page of a checkout, and the expected page. */
const Action = z.union([
  z.strictObject({
    fill: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .refine((fields) => Object.keys(fields).length > 0, 'must name a field')
      .describe('Fills in and submits the form with these fields, by name')
      .meta({ examples: [{ contact: 'ann@shop.test' }] }),
  }),
  z.strictObject({
    press: z.string().min(1).describe('Presses the button or follows the link whose text starts with this'),
  }),
  z.strictObject({
    open: z.literal(true).describe("Opens the page of the checkout, like the shop's link"),
  }),
])

const Buyer = z.strictObject({
  id: z.string().min(1).optional().describe('Names the step'),
  buyer: z
    .string()
    .describe(
      'The checkout whose page the buyer uses. The first step opens it, and later steps keep its cookies',
    ),
  actions: z
    .array(Action)
    .min(1)
    .optional()
    .describe('The actions in order; default: opens the page')
    .meta({ examples: [[{ press: 'Cancel and return' }]] }),
  expect: z
    .strictObject({
      status: ExpectedStatus.optional().describe('The status of the last page; default: 2xx'),
      heading: TextOrMatcher.optional().describe('Its heading'),
      text: z
        .union([z.string(), z.array(z.string()).min(1)])
        .optional()
        .describe('A part of its text, or several'),
      fields: z.array(z.string()).optional().describe('The names of the editable fields, in page order'),
      url: TextOrMatcher.optional().describe(
        "The URL to which the buyer was redirected, such as the shop's successUrl",
      ),
    })
    .optional()
    .describe('What the page shows after the last action'),
  capture: Capture.optional().describe('Captures values of the page: $.heading, $.text, $.url'),
})

const concurrent = {
  parallel: z
    .strictObject({ count: z.int().min(2).max(1000).describe('How many times') })
    .optional()
    .describe('How many copies of the request are sent concurrently'),
  meanwhile: z
    .array(z.lazy((): z.ZodType => ScenarioStep))
    .min(1)
    .optional()
    .describe('Steps that run while this call is in flight')
    .meta({ examples: [[{ sim: { held: 'desk' } }]] }),
  expect: ExpectOfMany.optional(),
}

/**
 * Refuses meaningless combinations: several responses have no single value to capture or to retry for, and a retried call would
 * run its `meanwhile` steps again.
 */
function checkCombination(
  step: z.infer<z.ZodObject<typeof concurrent>> & {
    capture?: unknown
    eventually?: unknown
    until?: unknown
  },
  context: z.RefinementCtx,
) {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (step.parallel === undefined && typeof step.expect?.status === 'object') {
    refuse(['expect', 'status'], 'can count statuses only with parallel')
  }
  for (const [word, others] of [
    ['parallel', ['capture', 'eventually', 'until', 'meanwhile']],
    ['meanwhile', ['eventually', 'until']],
    ['until', ['eventually']],
  ] as const) {
    for (const other of others) {
      if (step[word] !== undefined && step[other] !== undefined)
        refuse([other], `cannot be combined with ${word}`)
    }
  }
}

const Call = z
  .strictObject({ ...request, ...answer, ...concurrent })
  .refine(oneBody, BODY_RULE)
  .superRefine(checkCombination)
const Repeat = z.strictObject({ ...repeat, ...answer, ...concurrent }).superRefine(checkCombination)

const Items = z
  .union([z.string(), z.array(z.unknown())], { error: EACH_RULE })
  .describe('A range such as 1..20, or a list: of values or of rows')

const Parallel = z.strictObject({
  id,
  parallel: z
    .strictObject({
      each: Items.optional(),
      steps: z
        .array(z.union([SimpleCall, SimpleRepeat, Sim]))
        .min(1)
        .describe('Each a call, a repeat or a sim')
        .meta({ examples: [[{ call: 'GET /v1/checkouts' }, { call: 'GET /v1/refunds' }]] }),
    })
    .refine(({ steps }) => steps.length > 1, {
      path: ['steps'],
      error: 'must be two steps or more, or have each',
    })
    .describe('Runs these steps concurrently, with each for every item, and waits for all of them'),
  expect: ExpectOfMany.optional(),
})

// Steps of steps

const inner = z
  .array(z.lazy((): z.ZodType<ScenarioStep> => ScenarioStep))
  .meta({ examples: [[{ call: 'GET /v1/checkouts' }]] })

const Each = z.strictObject({
  id,
  each: Items.describe(
    'Runs the steps once for each item of a range such as 1..20 or of a list, in sequence. In them ${item} is the item, ${item.field} a field of it, and ${i} counts from 0',
  ),
  steps: inner,
})

const Use = z.strictObject({
  id,
  use: z.string().describe('Runs the steps of a setup: its name, or FILE#NAME for one of another file'),
  with: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values of the setup')
    .meta({ examples: [{ amount: 250 }] }),
  capture: Capture.optional().describe('Renames values that the setup captured: second: $.checkout'),
  /** The setup's steps, filled in by the expansion. */
  steps: inner,
})

/** The steps without steps inside, or only with calls, by the word that each needs. */
const SINGLE_STEPS = {
  parallel: Parallel,
  sim: Sim,
  receiver: ReceiverStep,
  webhook: Webhook,
  requests: Requests,
  ledger: Ledger,
  outbox: Outbox,
  captured: Captured,
  buyer: Buyer,
}
type SingleSteps = { [Word in keyof typeof SINGLE_STEPS]: z.infer<(typeof SINGLE_STEPS)[Word]> }

/** Written out because TypeScript infers no recursive type; an interface, because TypeScript before 7 refuses circular aliases. */
interface Steps extends SingleSteps {
  call: Omit<z.infer<typeof Call>, 'meanwhile'> & { meanwhile?: ScenarioStep[] | undefined }
  repeat: Omit<z.infer<typeof Repeat>, 'meanwhile'> & { meanwhile?: ScenarioStep[] | undefined }
  each: { id?: string | undefined; each: string | unknown[]; steps: ScenarioStep[] }
  use: { id?: string | undefined; use: string; capture?: Capture | undefined; steps: ScenarioStep[] }
}

export type StepWord = keyof Steps
export type StepOf<Word extends StepWord> = Steps[Word]
export type ScenarioStep = Steps[StepWord]

/** `call` and `repeat` come first, because they may also have `parallel`. */
const FORMS = { call: Call, repeat: Repeat, ...SINGLE_STEPS, each: Each, use: Use }
export const STEP_WORDS = Object.keys(FORMS) as StepWord[]

export const ScenarioStep: z.ZodType<ScenarioStep> = z.union(Object.values(FORMS)).meta({
  id: 'Step',
  description: 'What a client does, or what must have happened: exactly one of these',
}) as z.ZodType<ScenarioStep>
