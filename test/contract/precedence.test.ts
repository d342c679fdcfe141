/**
 * The refusals of each writing operation, and which one wins (D20). A mistake spoils parts of a valid request; two mistakes that
 * spoil different parts can be combined, and then the first in this file's order wins.
 */
import { describe, expect, test } from 'vitest'
import type { WritingId } from '../../src/spec/contract/endpoints.ts'
import { type Case, type Names, play, prepare, refused, request } from './case.ts'
import { type Given, ORDER } from './given.ts'
import { GRANTED } from './granted.ts'
import { contract, isRemote, openPlatform, type Platform, requestRules } from './platform.ts'

/** A valid request, before a mistake spoils it. */
interface Draft {
  given: readonly Given[]
  call: string
  fields: Record<string, unknown>
  headers: Record<string, string>
  /** A raw body instead of the fields. */
  text?: string
  padding: number
}

interface Way {
  name: string
  /** The part of paysim that refuses it: the door or the operation. */
  by: 'door' | 'fields' | 'operation'
  /** The parts of the request that it spoils; two mistakes cannot spoil the same part. */
  spoils: readonly string[]
  status: number
  message: string
  spoil(draft: Draft): Partial<Draft>
  /** An earlier request that the case needs, such as the same request with another body. */
  before?(platform: Platform, sendSimilar: (headers?: Draft['headers']) => Promise<unknown>): Promise<unknown>
}

/** A mistake that the door refuses; the refusal is written as its status and message. */
const atDoor = (
  name: string,
  part: string,
  refusal: string,
  spoil: Way['spoil'],
  before?: Way['before'],
): Way => ({ name, by: 'door', spoils: [part], ...said(refusal), spoil, ...(before && { before }) })

const said = (refusal: string) => ({ status: Number.parseInt(refusal, 10), message: refusal.slice(4) })

const withHeader = (name: string, value: string): Way['spoil'] => {
  return ({ headers }) => ({ headers: { ...headers, [name]: value } })
}

const DOOR: readonly Way[] = [
  atDoor(
    'too many requests',
    'rate',
    '429 Too many requests, please try again later.',
    () => ({}),
    async ({ tester, send }) => {
      tester.sandbox.rateLimit.limit = 1
      await send({ call: 'GET /v1/checkouts' })
      await send({ call: 'GET /v1/checkouts', headers: { 'x-api-key': 'no' } })
    },
  ),
  atDoor('an invalid API key', 'api key', '401 Invalid API key', withHeader('x-api-key', 'no')),
  atDoor('an unknown path', 'path', '404 Route not found', ({ call }) => ({
    call: call.replace('/v1/', '/v1/nowhere/'),
  })),
  atDoor('a wrong method', 'method', '405 Method not allowed', ({ call }) => ({
    call: call.replace(/^\w+/, 'PUT'),
  })),
  atDoor('a body that is too large', 'size', '413 Request body is too large', () => ({ padding: 102_400 })),
  atDoor(
    'a wrong media type',
    'media type',
    '415 Content-Type must be application/json',
    withHeader('content-type', 'text/plain'),
  ),
  atDoor(
    'a malformed Idempotency-Key',
    'key',
    '400 Malformed Idempotency-Key',
    withHeader('idempotency-key', ''),
  ),
  atDoor('malformed JSON', 'fields', '400 Malformed JSON body', () => ({ text: '{' })),
  atDoor(
    'an Idempotency-Key in flight',
    'key',
    '409 A request with this Idempotency-Key is already in progress',
    withHeader('idempotency-key', 'k'),
    async ({ tester }, sendSimilar) => {
      void sendSimilar({ 'x-sim': 'hold=gate' })
      await tester.held(1)
    },
  ),
  atDoor(
    'an Idempotency-Key that was used with another body',
    'key',
    '422 Idempotency-Key was already used with a different request body',
    // The earlier body is valid, because a profile may refuse unknown fields, and refusals at the door are not stored.
    ({ headers, fields }) => ({
      headers: { ...headers, 'idempotency-key': 'k' },
      fields: { ...fields, later: true },
    }),
    (_, sendSimilar) => sendSimilar(),
  ),
]

const KEY_REUSED = DOOR.at(-1)
/** Under a profile that accepts any media type this is not a mistake. */
const DOOR_OF_THE_PROFILE = DOOR.filter(
  ({ spoils }) => !spoils.includes('media type') || requestRules.mediaType === 'strict',
)
const A_READ_EARNS = DOOR.filter(({ spoils }) => ['rate', 'api key', 'path', 'method'].includes(spoils[0]!))

/** A field with an invalid value: refused for its format, or by the operation. */
const field = (by: Way['by'], name: string, value: unknown, refusal: string): Way => ({
  name: refusal,
  by,
  spoils: ['fields', name],
  ...said(refusal),
  spoil: ({ fields }) => ({ fields: { ...fields, [name]: value } }),
})

const missing = (name: string) => field('fields', name, undefined, `400 Missing required field: ${name}`)
const wrong = (name: string, value: unknown, rule: string) =>
  field('fields', name, value, `400 Invalid field: ${name} ${rule}`)
const refusedField = (name: string, value: unknown, refusal: string) =>
  field('operation', name, value, refusal)

const unknownInPath = (placeholder: string, what: string, spoils: readonly string[]): Way => ({
  name: `${what} not found`,
  by: 'operation',
  spoils,
  ...said(`404 ${what} not found`),
  spoil: ({ call }) => ({ call: call.replace(placeholder, 'nobody') }),
})

/** Steps that replace the usual ones. */
const history = (refusal: string, spoils: readonly string[], step: Given, steps: readonly Given[]): Way => ({
  name: refusal,
  by: 'operation',
  spoils,
  ...said(refusal),
  spoil: ({ given }) => ({ given: given.flatMap((name) => (name === step ? steps : name)) }),
})

const followed = (refusal: string, spoils: readonly string[], step: Given, next: Given) =>
  history(refusal, spoils, step, [step, next])

const TEXT = 'must be a string of 1 to 255 characters'
const AMOUNT = 'must be a positive number with at most two decimals'
const URL = 'must be an absolute http or https URL of at most 2048 characters'

const CHARGED_CHECKOUT: readonly Way[] = [
  history('403 Platform keys can only refund card checkouts', ['type'], 'a checkout', ['a bank checkout']),
  history('409 Checkout is pending, not confirmed', ['state'], 'it is confirmed', []),
  followed(
    '409 Checkout is already fully refunded',
    ['state', 'type'],
    'it is confirmed',
    'a refund of 1000.00',
  ),
]

interface Endpoint extends Pick<Draft, 'given' | 'call' | 'fields'> {
  ways: readonly Way[]
}

type EndpointRow = Partial<Endpoint> & Pick<Endpoint, 'fields' | 'ways'>

/** Each writing operation, with the call and the state of GRANTED unless it says otherwise; and one read. */
const ENDPOINTS: Readonly<Record<WritingId | 'paymentMethods.list', EndpointRow>> = {
  'checkouts.create': {
    fields: ORDER,
    ways: [
      missing('orderId'),
      wrong('externalId', 7, TEXT),
      wrong('amount', 0, AMOUNT),
      ...(requestRules.checkout.includes('successUrl') ? [missing('successUrl')] : []),
      wrong('cancelUrl', 'no', URL),
      wrong('paymentMethodType', 'cash', 'must be one of card, bank_account'),
    ],
  },
  'checkouts.confirm': {
    given: ['a customer', 'an authorization', 'a checkout'],
    fields: { paymentMethodId: '{method}' },
    ways: [
      wrong('paymentMethodId', 7, TEXT),
      unknownInPath('{checkout}', 'Checkout', ['state']),
      refusedField('paymentMethodId', 'nobody', '404 Payment method not found'),
      followed('409 Checkout is already canceled', ['state'], 'a checkout', 'it is canceled'),
      followed(
        '409 Payment method is detached',
        ['paymentMethodId'],
        'an authorization',
        'the method is detached',
      ),
    ],
  },
  'checkouts.cancel': {
    fields: {},
    ways: [
      unknownInPath('{checkout}', 'Checkout', ['state']),
      followed('409 Checkout is already canceled', ['state'], 'a checkout', 'it is canceled'),
    ],
  },
  'checkouts.refund': {
    fields: { amount: 10 },
    ways: [
      missing('amount'),
      unknownInPath('{checkout}', 'Checkout', ['type', 'state']),
      ...CHARGED_CHECKOUT,
      refusedField('amount', 1000.01, '400 Amount exceeds the refundable amount'),
    ],
  },
  'refunds.create': {
    fields: { checkoutId: '{checkout}', amount: 10 },
    ways: [
      missing('amount'),
      {
        ...missing('checkoutId or authorizationId'),
        spoils: ['fields', 'checkoutId', 'authorizationId', 'type', 'state'],
        spoil: ({ fields }) => ({ fields: { ...fields, checkoutId: null } }),
      },
      wrong('authorizationId', 'x', 'cannot be combined with checkoutId'),
      {
        ...refusedField('checkoutId', 'nobody', '404 Checkout not found'),
        spoils: ['fields', 'checkoutId', 'type', 'state'],
      },
      ...CHARGED_CHECKOUT,
      refusedField('amount', 1000.01, '400 Amount exceeds the refundable amount'),
    ],
  },
  'authorizations.create': {
    given: ['a customer', 'another customer', 'an authorization'],
    fields: { amount: 10, customerId: '{customer}', paymentMethodId: '{method}' },
    ways: [
      missing('amount'),
      wrong('externalId', '', TEXT),
      wrong('orderId', 7, TEXT),
      refusedField('customerId', 'nobody', '404 Customer not found'),
      refusedField(
        'externalId',
        'other-{run}',
        '400 Invalid field: externalId must belong to the customerId',
      ),
      refusedField('paymentMethodId', 'nobody', '404 Payment method not found'),
      followed(
        '409 Payment method is detached',
        ['paymentMethodId'],
        'an authorization',
        'the method is detached',
      ),
    ],
  },
  'authorizations.capture': {
    fields: { amount: 10 },
    ways: [
      wrong('amount', '10', AMOUNT),
      unknownInPath('{authorization}', 'Authorization', ['state']),
      followed('409 Authorization is already voided', ['state'], 'an authorization', 'it is voided'),
      refusedField('amount', 1000.01, '400 Amount exceeds the authorized amount'),
    ],
  },
  'authorizations.void': {
    fields: {},
    ways: [
      unknownInPath('{authorization}', 'Authorization', ['state']),
      followed('409 Authorization is already captured', ['state'], 'an authorization', 'it is captured'),
    ],
  },
  'customers.create': {
    given: ['another customer'],
    fields: { externalId: 'biz' },
    ways: [
      missing('externalId'),
      wrong('name', {}, TEXT),
      wrong('phone', 555, TEXT),
      refusedField('externalId', 'other-{run}', '409 Customer with this external ID already exists'),
    ],
  },
  'paymentMethods.detach': {
    fields: {},
    ways: [
      unknownInPath('{customer}', 'Customer', ['customer']),
      unknownInPath('{method}', 'Payment method', ['method']),
      followed(
        '409 Payment method is already detached',
        ['method'],
        'an authorization',
        'the method is detached',
      ),
    ],
  },
  'paymentMethods.list': {
    call: 'GET /v1/customers/{customer}/payment-methods',
    given: ['a customer'],
    fields: {},
    ways: [
      {
        name: 'a wrong filter',
        by: 'fields',
        spoils: ['query'],
        ...said('400 Invalid query parameter: type must be one of card, bank_account'),
        spoil: ({ call }) => ({ call: `${call}?type=cash` }),
      },
      unknownInPath('{customer}', 'Customer', ['customer']),
    ],
  },
}

/** The door decides before an operation sees the request, so its order is the same at each endpoint. */
const DOOR_IN_FULL = ['POST /v1/checkouts/{checkout}/refunds', 'GET /v1/customers/{customer}/payment-methods']

const ROWS = Object.entries(ENDPOINTS).map(([id, row]): Endpoint => {
  const { call, given = [] } = { ...GRANTED[id as WritingId], ...row }
  return { ...row, call: call!, given }
})

describe.each(ROWS)('$call', ({ ways, ...good }) => {
  play(
    ways.map((way): Case => {
      const { call, given, fields } = spoiled(good, [way])
      const json = call.startsWith('GET') ? undefined : fields
      const { status, body } = refused(`${way.status} ${way.message}`)
      return { name: way.name, call, given, json, status, body, absent: ['location'] }
    }),
  )

  const atTheDoor = good.call.startsWith('GET') ? A_READ_EARNS : DOOR_OF_THE_PROFILE
  const door = DOOR_IN_FULL.includes(good.call) ? atTheDoor : atTheDoor.slice(-1)

  test.skipIf(isRemote).for(door.map((way) => ({ way })))('is refused for $way.name', async ({ way }) => {
    await expectRefusal(good, [way], way)
  })

  test.skipIf(isRemote).for(pairs([...door, ...ways]))(
    '$first.name wins over $second.name',
    async ({ first, second }) => {
      await expectRefusal(good, [first, second], first)
    },
  )
})

/** Whether a key stores the refusal. Unless the profile stores refusals, the key is still free. */
const isKept = ({ status }: Way) => contract.keptRefusals.has(status)

/** Every combination of two mistakes. */
const pairs = (ways: readonly Way[]) =>
  ways.flatMap((first, index) =>
    ways
      .slice(index + 1)
      .filter((second) => !first.spoils.some((part) => second.spoils.includes(part)))
      .filter((second) => first !== KEY_REUSED || second.by !== 'operation' || isKept(second))
      .map((second) => ({ first, second })),
  )

async function expectRefusal(
  good: Omit<Endpoint, 'ways'>,
  ways: readonly Way[],
  { status, message }: Way,
): Promise<void> {
  const draft = spoiled(good, ways)
  const platform = openPlatform()
  const names = await prepare(platform, draft.given)
  // The earlier request has the same mistake of the operation, so it is refused as well, at the same point as the
  // later request.
  const similar = spoiled(
    good,
    ways.filter(({ by }) => by === 'operation'),
  )
  const sendSimilar = (headers = {}) =>
    send(platform, { ...similar, headers: { 'idempotency-key': 'k', ...headers } }, names)
  // The rate limit comes last, because the earlier requests have to get through.
  for (const way of ways.toReversed()) await way.before?.(platform, sendSimilar)

  const before = platform.tester.rows()
  const received = await send(platform, draft, names)
  expect({ status: received.status, message: (received.body as { message: string }).message }).toEqual({
    status,
    message,
  })
  expect(platform.tester.rows()).toEqual(before)
}

function spoiled(good: Omit<Endpoint, 'ways'>, ways: readonly Way[]): Draft {
  const draft: Draft = { ...good, headers: {}, padding: 0 }
  for (const way of ways) Object.assign(draft, way.spoil(draft))
  return draft
}

function send(platform: Platform, { call, fields, text, padding, headers }: Draft, names: Names) {
  const { body = '', ...rest } = request({ call, json: fields, headers }, names)
  const written = (text ?? String(body)).padEnd(padding + 1)
  return platform.send({ ...rest, ...(!call.startsWith('GET') && { body: written }) })
}
