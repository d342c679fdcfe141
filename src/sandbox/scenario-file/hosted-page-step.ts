/** A buyer's actions on the hosted page of a checkout, and the expected page. */
import { z } from 'zod'
import { Capture, ExpectedStatus } from './expectation.ts'
import { TextOrMatcher } from './matcher-schema.ts'

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

export const HostedPageStep = z.strictObject({
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

export type HostedPageStep = z.infer<typeof HostedPageStep>
