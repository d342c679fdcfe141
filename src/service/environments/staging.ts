/**
 * Staging's shortcuts (§1, D51, D52): the values that it accepts without a real check. By default `values` are taken from
 * `fixtures/test-values.json`.
 */
import { cents, moneyText } from '../../spec/contract/money.ts'
import type { StagingValues } from '../../spec/environments/values.ts'
import type { CreditDecision } from '../domain/application.ts'
import { decidedByScore, plainName, storedMethod } from './both-environments.ts'
import { digitsOf, spacedCardNumber } from './forms.ts'
import type { CreditRequest, EnvironmentRules, SuggestedInput, SuggestionPage, TestValue } from './rules.ts'

export function stagingRules(values: StagingValues, currency: string): EnvironmentRules {
  const { approvedApplicant, bankAccount, card, suggested, verificationCode } = values
  const testMethod: EnvironmentRules['testersMethod'] = (type) =>
    storedMethod(values, bankAccount.bankName, type)
  return {
    newCode: () => verificationCode,
    // The code is fixed, so it is right even if no message was sent.
    isCode: (typed) => digitsOf(typed) === verificationCode,

    nationalIdProblem: () => undefined,
    decideCredit: (request) => decideApplication(request, values, currency),

    bankName: bankAccount.bankName,
    routingProblem: () => undefined,
    accountProblem: () => undefined,
    whyCardDeclined: () => undefined,
    whyAccountDeclined: () => undefined,

    impliedMethod: testMethod,
    testersMethod: testMethod,
    testersBuyer: {
      email: suggested.email,
      approved: { ...approvedApplicant, nationalId: suggested.usualNationalId },
      applicant: suggested.applicant,
      businessName: suggested.businessName,
      card,
      bankAccount,
    },

    needsApproval: false,
    faultsOnRequest: true,
    sendsMessages: false,

    helpsTesters: true,
    suggestions: (page, amount) => suggestionsFor(page, amount, values, currency),
    testValues: () => testValues(values, currency),
  }
}

// The application (§1.3, §1.4)

export function decideApplication(
  applicant: CreditRequest,
  values: StagingValues,
  currency: string,
): CreditDecision {
  const { approvedApplicant, credit, highScoreLast4 } = values
  if (
    plainName(applicant.first) === plainName(approvedApplicant.firstName) &&
    plainName(applicant.last) === plainName(approvedApplicant.lastName)
  ) {
    const name = `${approvedApplicant.firstName} ${approvedApplicant.lastName}`
    const explanation = `${name} is always approved, for any amount and without a check.`
    return { approved: true, reason: 'by name', score: null, limit: null, explanation }
  }
  const { score, limitCents } = applicant.nationalIdLast4 === highScoreLast4 ? credit.high : credit.usual
  return decidedByScore(score, limitCents, applicant.amount, currency)
}

// The list shown to people

/** Every value with a fixed result, in the hosted page's order. */
export function testValues(values: StagingValues, currency: string): TestValue[] {
  const { approvedApplicant, bankAccount, card, credit, highScoreLast4, verificationCode } = values
  return [
    {
      what: 'Verification code',
      value: verificationCode,
      why: 'The only code that logs a buyer in. No message is sent; any other code is refused.',
      where: 'log in',
    },
    {
      what: 'Approved applicant',
      value: `${approvedApplicant.firstName} ${approvedApplicant.lastName}`,
      why: 'Always approved, for any amount and without a check. Case and spacing do not matter.',
      where: 'application',
    },
    {
      what: 'High-score national ID',
      value: `any nine digits ending in ${highScoreLast4}`,
      why: `Score ${credit.high.score}: approved up to ${moneyText(cents(credit.high.limitCents), currency)}, declined above.`,
      where: 'application',
    },
    {
      what: 'Any other national ID',
      value: 'any nine digits',
      why: `Score ${credit.usual.score}: approved up to ${moneyText(cents(credit.usual.limitCents), currency)}, declined above.`,
      where: 'application',
    },
    {
      what: 'Test card',
      value: spacedCardNumber(card.number),
      why: 'Suggested. Any card number that passes the Luhn check works with a future expiry and any CVC.',
      where: 'card',
    },
    {
      what: 'Test bank account',
      value: `routing ${bankAccount.routingNumber}, account ${bankAccount.accountNumber}`,
      why: 'Suggested. Any routing number that passes the ABA checksum works with any account of 4 to 17 digits.',
      where: 'bank account',
    },
  ]
}

// Help on the hosted page: test values that fill in with one click, with their result for this order

function suggestionsFor(
  page: SuggestionPage,
  amount: number,
  values: StagingValues,
  currency: string,
): SuggestedInput[] {
  const { card, bankAccount, suggested } = values
  switch (page) {
    case 'log-in':
      return [
        fill('email', suggested.email, 'The code as an e-mail.', {
          contact: suggested.email,
        }),
        fill('phone', suggested.phone, 'The code as a text message.', {
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
        const { approved, explanation } = decideApplication(applicant, values, currency)
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
