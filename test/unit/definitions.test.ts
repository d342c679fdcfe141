/** What the definitions of the resources say about money has to agree. */
import { expect, test } from 'vitest'
import { BY_NAME, DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { LEDGER_KINDS } from '../../src/spec/contract/resources/ledger.ts'
import { MONEY_CAUSES, PAYMENT_KINDS } from '../../src/spec/contract/resources/movements.ts'

test.for(MONEY_CAUSES)('$event receives money for a payment, or gives it back', ({ name, kind }) => {
  expect(LEDGER_KINDS[kind].sign).toBe(DEFINITIONS[name].order === 'payment' ? -1 : 1)
})

test.for(BY_NAME)('the order of a $name is that of the payment it names, if it names one', (definition) => {
  const namesPayment = PAYMENT_KINDS.some((kind) => `${kind}Id` in definition.fields)
  expect(definition.order === 'payment').toBe(namesPayment)
})
