/** §4 authorizations. */

import { found, invalidField } from '../../spec/contract/errors.ts'
import { AuthorizationCapture, AuthorizationCreate } from '../../spec/contract/resources/authorization.ts'
import type { Customer } from '../../spec/contract/resources/customer.ts'
import { captureAuthorization } from '../domain/authorization.ts'
import { requireAttached } from '../domain/payment-method.ts'
import { operation } from './operation.ts'
import { defaultPaymentMethod, findPaymentMethod } from './payment-methods.ts'
import { change, create, findRow } from './plain.ts'
import type { Unit } from './unit.ts'

export const postAuthorization = operation({
  id: 'authorizations.create',
  body: AuthorizationCreate,
  run(unit, { body }) {
    const customer = findNamedCustomer(unit, body)
    const id = unit.id('authorization')
    const method = body.paymentMethodId
      ? findPaymentMethod(unit, body.paymentMethodId, customer.id)
      : defaultPaymentMethod(unit, customer, null, id)
    requireAttached(method)
    const completed = {
      customerId: customer.id,
      externalId: customer.externalId,
      paymentMethodId: method.id,
      paymentMethodType: method.type,
    }
    return create(unit, 'authorization', { ...body, ...completed, id })
  },
})

export const postAuthorizationCapture = operation({
  id: 'authorizations.capture',
  body: AuthorizationCapture,
  run(unit, { params, body }) {
    const authorization = findRow(unit, 'authorization', params.id)
    const captured = captureAuthorization(authorization, body.amount ?? authorization.amount, unit.now)
    return change(unit, 'authorization', captured, 'capture')
  },
})

type Named = { customerId?: string | null | undefined; externalId?: string | null | undefined }

/** D23: finds the customer by id, by external ID, or by both if they agree. */
function findNamedCustomer(unit: Unit, { customerId, externalId }: Named): Customer {
  const { customers } = unit.store
  const customer = found(
    customerId ? customers.find(customerId) : customers.findByExternalId(externalId!),
    'Customer',
  )
  if (externalId && customer.externalId !== externalId)
    throw invalidField('externalId', 'must belong to the customerId', ['externalId', 'customerId'])
  return customer
}
