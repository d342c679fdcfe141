/**
 * Staging's magic values (D51, D52). They come from `fixtures/staging.json` unless other ones are handed in, so a tester
 * can have staging's shape with values of their own. Amounts are integer cents.
 */
import values from '../../../fixtures/staging.json' with { type: 'json' }
import { CARD_MONTHS, CARD_YEARS } from '../contract/limits.ts'

interface NameChanges {
  /** The first name of the person. */
  firstName?: string | undefined
  /** The last name of the person. */
  lastName?: string | undefined
}

interface Credit {
  /** The credit score. */
  score?: number | undefined
  /** The highest amount that is approved, in cents. */
  limitCents?: number | undefined
}

/** Any of staging's values in place of its own. */
export interface StagingChanges {
  /** The code that a buyer types to log in. */
  verificationCode?: string | undefined
  /** The applicant who is always approved, for any amount and without a check. */
  approvedApplicant?: NameChanges | undefined
  /** The last four digits of a national ID with the high score. */
  highScoreLast4?: string | undefined
  /** The credit scores, each with the highest amount that is approved. */
  credit?:
    | {
        /** The score of an applicant whose national ID ends in `highScoreLast4`. */
        high?: Credit | undefined
        /** The score of every other applicant. */
        usual?: Credit | undefined
      }
    | undefined
  /** The card that is accepted. */
  card?:
    | {
        /** The card number, without spaces. */
        number?: string | undefined
        /** The month in which the card expires, from 1 to 12. */
        expMonth?: number | undefined
        /** The year in which the card expires, in four digits. */
        expYear?: number | undefined
        /** The security code on the back of the card. */
        cvc?: string | undefined
      }
    | undefined
  /** The bank account that is accepted. */
  bankAccount?:
    | {
        /** The name of the bank. */
        bankName?: string | undefined
        /** The routing number of the bank. */
        routingNumber?: string | undefined
        /** The account number. */
        accountNumber?: string | undefined
      }
    | undefined
  /** The values that the hosted page suggests to type. */
  suggested?:
    | {
        /** The buyer's e-mail address. */
        email?: string | undefined
        /** The buyer's phone number. */
        phone?: string | undefined
        /** The applicant's name. */
        applicant?: NameChanges | undefined
        /** The name of the business. */
        businessName?: string | undefined
        /** A national ID with the usual score. */
        usualNationalId?: string | undefined
        /** A national ID with the high score. */
        highScoreNationalId?: string | undefined
      }
    | undefined
}

type All<Changes> = { [Name in keyof Changes]-?: All<NonNullable<Changes[Name]>> }

export type StagingValues = All<StagingChanges>

export type Name = StagingValues['approvedApplicant']

export const stagingValues: StagingValues = values

/** Staging's values with some of them changed. An unknown name, or a value of another type, throws. */
export function changeValues(changes: unknown): StagingValues {
  const values = change('staging', stagingValues, changes) as StagingValues
  requireWhole('staging.card.expMonth', values.card.expMonth, CARD_MONTHS)
  requireWhole('staging.card.expYear', values.card.expYear, CARD_YEARS)
  return values
}

function requireWhole(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}`)
}

function change(name: string, value: unknown, changed: unknown): unknown {
  if (typeof changed !== typeof value || changed === null || Array.isArray(changed)) {
    throw new Error(`${name} must be ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`)
  }
  if (typeof value !== 'object' || value === null) return changed
  const changes = Object.entries(changed as object).map(([key, part]) => {
    const original = Object.entries(value).find(([name]) => name === key)
    if (!original) throw new Error(`${name}.${key} is none of ${Object.keys(value).join(', ')}`)
    return [key, change(`${name}.${key}`, original[1], part)]
  })
  return { ...value, ...Object.fromEntries(changes) }
}
