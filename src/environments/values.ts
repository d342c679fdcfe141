/**
 * Staging's magic values (D51, D52). They come from `fixtures/staging.json` unless other ones are handed in, so a tester
 * can have staging's shape with values of their own. Amounts are integer cents.
 */
import values from '../../fixtures/staging.json' with { type: 'json' }

export type Name = { firstName: string; lastName: string }
type Credit = { score: number; limitCents: number }

export type StagingValues = {
  verificationCode: string
  approvedApplicant: Name
  highScoreLast4: string
  credit: { high: Credit; usual: Credit }
  card: { number: string; expMonth: number; expYear: number; cvc: string }
  bankAccount: { bankName: string; routingNumber: string; accountNumber: string }
  suggested: {
    email: string
    phone: string
    applicant: Name
    businessName: string
    usualNationalId: string
    highScoreNationalId: string
  }
}

export const stagingValues: StagingValues = values

export type StagingChanges = Changes<StagingValues>
type Changes<Values> = { [Name in keyof Values]?: Changes<Values[Name]> }

/** Staging's values with some of them changed. An unknown name, or a value of another type, throws. */
export const changeValues = (changes: unknown): StagingValues =>
  change('staging', stagingValues, changes) as StagingValues

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
