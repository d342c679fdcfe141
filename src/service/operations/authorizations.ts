/** §4 authorizations. */
import {
  Authorization,
  AuthorizationCapture,
  AuthorizationCreate,
  AuthorizationPage,
  AuthorizationQuery,
} from '../../spec/contract/authorization.ts'
import type { Customer } from '../../spec/contract/customer.ts'
import { found, invalidField } from '../../spec/contract/errors.ts'
import { captureAuthorization, createAuthorization, voidAuthorization } from '../domain/authorization.ts'
import { operation } from './operation.ts'
import { defaultPaymentMethod, findPaymentMethod } from './payment-methods.ts'
import type { Unit } from './unit.ts'

export const postAuthorization = operation({
  id: 'authorizations.create',
  summary: "Hold money on a customer's payment method",
  body: AuthorizationCreate,
  answer: Authorization,
  refusals: [404, 409],
  run(unit, { body }) {
    const customer = findNamedCustomer(unit, body)
    const id = unit.id('authorization')
    const method = body.paymentMethodId
      ? findPaymentMethod(unit, body.paymentMethodId, customer.id)
      : defaultPaymentMethod(unit, customer, null, id)
    const { amount, orderId = null } = body
    const authorization = createAuthorization(
      { id, externalId: customer.externalId, orderId, amount },
      method,
      unit.now,
    )
    unit.store.authorizations.insert(authorization)
    unit.emit('authorization.created', authorization, id)
    return authorization
  },
})

export const postAuthorizationCapture = operation({
  id: 'authorizations.capture',
  summary: 'Capture an authorization, once; the rest is released',
  body: AuthorizationCapture,
  answer: Authorization,
  refusals: [404, 409],
  run(unit, { params, body }) {
    const authorization = findAuthorization(unit, params.id)
    const captured = captureAuthorization(authorization, body.amount ?? authorization.amount, unit.now)
    unit.store.authorizations.update(captured)
    unit.writeLedgerRow({ kind: 'capture', amount: captured.amountCaptured, authorizationId: captured.id })
    unit.emit('authorization.captured', captured, captured.id)
    return captured
  },
})

export const postAuthorizationVoid = operation({
  id: 'authorizations.void',
  summary: 'Void an authorization: the money is released',
  answer: Authorization,
  refusals: [404, 409],
  run(unit, { params }) {
    const voided = voidAuthorization(findAuthorization(unit, params.id), unit.now)
    unit.store.authorizations.update(voided)
    unit.emit('authorization.voided', voided, voided.id)
    return voided
  },
})

export const getAuthorizations = operation({
  id: 'authorizations.list',
  summary: 'List authorizations, newest first',
  query: AuthorizationQuery,
  answer: AuthorizationPage,
  refusals: [],
  run: (unit, { query }) => unit.store.authorizations.list(query),
})

export const getAuthorization = operation({
  id: 'authorizations.get',
  summary: 'Read an authorization',
  answer: Authorization,
  refusals: [404],
  run: (unit, { params }) => findAuthorization(unit, params.id),
})

export const findAuthorization = (unit: Unit, id: string): Authorization =>
  found(unit.store.authorizations.find(id), 'Authorization')

type Named = { customerId?: string | null | undefined; externalId?: string | null | undefined }

/** D23: finds the customer by id, by external ID, or by both if they name the same customer. */
function findNamedCustomer(unit: Unit, { customerId, externalId }: Named): Customer {
  const { customers } = unit.store
  const customer = found(
    customerId ? customers.find(customerId) : customers.findByExternalId(externalId!),
    'Customer',
  )
  if (externalId && customer.externalId !== externalId) {
    const named = unit.services.contract.profile.fields.authorization
    throw invalidField(named.externalId, `must belong to the ${named.customerId}`)
  }
  return customer
}
