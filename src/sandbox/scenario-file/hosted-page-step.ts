/** A buyer's actions on the hosted page of a checkout, and the expected page. */
import { z } from 'zod'
import { Capture, ExpectedStatus } from './expectation.ts'
import { Matcher } from './matcher-schema.ts'

const Text = z.union([z.string(), Matcher])

const Action = z.union([
  z.strictObject({
    fill: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .refine((fields) => Object.keys(fields).length > 0, 'must name a field')
      .describe('Fills the form that has these fields, by their names, and sends it')
      .meta({ examples: [{ contact: 'ann@shop.test' }] }),
  }),
  z.strictObject({
    press: z
      .string()
      .min(1)
      .describe('Presses the button or follows the link with this text, or the beginning of it'),
  }),
  z.strictObject({
    open: z.literal(true).describe('Opens the page of the checkout, as the link of the shop does'),
  }),
])

export const HostedPageStep = z.strictObject({
  id: z.string().min(1).optional().describe('Names the step'),
  buyer: z
    .string()
    .describe(
      'The checkout whose page a person uses. The first step opens it, and cookies are kept for later ones',
    ),
  actions: z
    .array(Action)
    .min(1)
    .optional()
    .describe('The actions, one after another; default: opens the page')
    .meta({ examples: [[{ press: 'Cancel and return' }]] }),
  expect: z
    .strictObject({
      status: ExpectedStatus.optional().describe('The status of the last page; default: 2xx'),
      heading: Text.optional().describe('Its heading'),
      text: z
        .union([z.string(), z.array(z.string()).min(1)])
        .optional()
        .describe('A part of its text, or several'),
      fields: z
        .array(z.string())
        .optional()
        .describe('The names of the fields that can be filled, in their order'),
      url: Text.optional().describe("Where the buyer was sent instead, such as the shop's successUrl"),
    })
    .optional()
    .describe('What the page shows after the last action'),
  capture: Capture.optional().describe('Keeps values of the page: $.heading, $.text, $.url'),
})

export type HostedPageStep = z.infer<typeof HostedPageStep>
