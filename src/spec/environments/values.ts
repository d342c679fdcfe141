/**
 * Staging's test values (D51, D52). They come from `fixtures/test-values.json` unless a tester replaces them. Amounts are integer
 * cents.
 */

import { z } from 'zod'
import values from '../../../fixtures/test-values.json' with { type: 'json' }
import { CARD_MONTHS, CARD_YEARS } from '../contract/limits.ts'
import { text } from '../contract/tester.ts'
import type { Written } from '../contract/written.ts'

const value = (description: string) => text.optional().describe(description)

const number = (description: string) => z.number('must be a number').optional().describe(description)

function whole(description: string, { min, max }: { min: number; max: number }) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.int(rule).min(min, rule).max(max, rule).optional().describe(description)
}

const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has ${issue.keys[0]}, which is none of ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  })

const nameOf = (whom: string) =>
  object({ firstName: value(`First name of ${whom}`), lastName: value(`Last name of ${whom}`) }).optional()

const credit = () =>
  object({
    score: number('The credit score'),
    limitCents: number('The highest amount that is approved, in cents'),
  }).optional()

/** Replacements for any of staging's values. */
export const StagingChanges = object({
  verificationCode: value('The code that a buyer types to log in'),
  approvedApplicant: nameOf('the applicant').describe(
    'The applicant who is always approved, for any amount and without a check',
  ),
  highScoreLast4: value('The last four digits of a national ID with the high score'),
  credit: object({
    high: credit().describe('For an applicant whose national ID ends in `highScoreLast4`'),
    usual: credit().describe('For every other applicant'),
  })
    .optional()
    .describe('The credit scores, each with the highest amount that is approved'),
  card: object({
    number: value('The card number, without spaces'),
    expMonth: whole('The month in which the card expires, from 1 to 12', CARD_MONTHS),
    expYear: whole('The year in which the card expires, in four digits', CARD_YEARS),
    cvc: value('The security code on the back of the card'),
  })
    .optional()
    .describe('The card that is accepted'),
  bankAccount: object({
    bankName: value('The name of the bank'),
    routingNumber: value('The routing number of the bank'),
    accountNumber: value('The account number'),
  })
    .optional()
    .describe('The bank account that is accepted'),
  suggested: object({
    email: value("The buyer's e-mail address"),
    phone: value("The buyer's phone number"),
    applicant: nameOf('the applicant').describe("The applicant's name"),
    businessName: value('The name of the business'),
    usualNationalId: value('A national ID with the usual score'),
    highScoreNationalId: value('A national ID with the high score'),
  })
    .optional()
    .describe('The values that the hosted page suggests to type'),
})
export type StagingChanges = Written<typeof StagingChanges>

type All<Changes> = { [Name in keyof Changes]-?: All<NonNullable<Changes[Name]>> }

export type StagingValues = All<StagingChanges>

export type Name = StagingValues['approvedApplicant']

export const stagingValues: StagingValues = values

/** Staging's values with some of them changed. */
export const changeValues = (changes: StagingChanges): StagingValues => changed(stagingValues, changes)

function changed<Value>(value: Value, changes: unknown): Value {
  if (changes === undefined) return value
  if (typeof value !== 'object' || value === null) return changes as Value
  const given = changes as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, changed(part, given[key])]),
  ) as Value
}
