/** Test values that a tester can fill in with one click, for each page, with the result that they have for this order. */
import { decideApplication, type StagingValues, spacedCardNumber } from '../staging/rules.ts'

export type SuggestionPage = 'log-in' | 'code' | 'application' | 'card' | 'bank'

export type SuggestedInput = { id: string; label: string; outcome: string; fields: Record<string, string> }

export function suggestionsFor(
  page: SuggestionPage,
  amount: number,
  values: StagingValues,
): SuggestedInput[] {
  const { card, bankAccount, suggested } = values
  switch (page) {
    case 'log-in':
      return [
        fill('email', suggested.email, 'The code is captured in the outbox as an e-mail.', {
          contact: suggested.email,
        }),
        fill('phone', suggested.phone, 'The code is captured in the outbox as a text message.', {
          contact: suggested.phone,
        }),
      ]
    case 'code':
      return [
        fill('code', values.verificationCode, 'The only code that is accepted.', {
          code: values.verificationCode,
        }),
      ]
    case 'application':
      return applicants(values).map(([id, who, first, last, nationalId]) => {
        const applicant = { first, last, nationalIdLast4: nationalId.slice(-4), amount }
        const { approved, explanation } = decideApplication(applicant, values)
        const fields = { first, last, nationalId, business: suggested.businessName }
        return fill(id, who, `${approved ? 'Approved' : 'Declined'}. ${explanation}`, fields)
      })
    case 'card':
      return [
        fill(
          'card',
          spacedCardNumber(card.number),
          'Accepted, like any card number without a typing mistake.',
          {
            number: spacedCardNumber(card.number),
            expiry: `${String(card.expMonth).padStart(2, '0')} / ${card.expYear % 100}`,
            cvc: card.cvc,
          },
        ),
      ]
    case 'bank':
      return [
        fill(
          'bank',
          `${bankAccount.routingNumber}, ${bankAccount.accountNumber}`,
          'Accepted, like any valid bank account.',
          {
            routing: bankAccount.routingNumber,
            account: bankAccount.accountNumber,
          },
        ),
      ]
  }
}

function fill(id: string, label: string, outcome: string, fields: Record<string, string>): SuggestedInput {
  return { id, label, outcome, fields }
}

function applicants({ approvedApplicant, suggested }: StagingValues) {
  const { applicant, usualNationalId, highScoreNationalId } = suggested
  const designated = `${approvedApplicant.firstName} ${approvedApplicant.lastName}`
  return [
    ['by-name', designated, approvedApplicant.firstName, approvedApplicant.lastName, usualNationalId],
    ['high-score', highScoreNationalId, applicant.firstName, applicant.lastName, highScoreNationalId],
    ['usual-score', usualNationalId, applicant.firstName, applicant.lastName, usualNationalId],
  ] as const
}
