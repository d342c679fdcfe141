import { describe } from 'vitest'
import { type Case, play } from './case.ts'
import { ORDER } from './given.ts'
import { ABSENT, requestRules } from './platform.ts'

const call = 'POST /v1/checkouts'
const created = { call, status: 201, events: ['checkout.created'] }
const refused = { call, status: 400, absent: ['location', 'existingResourceId'] }
const cancel = { given: ['a checkout'], call: 'POST /v1/checkouts/{checkout}/cancel' } as const
const canceled = { ...cancel, status: 200, events: ['checkout.canceled'] }
const order = (fields: string) =>
  `{"orderId":"order-{run}","externalId":"biz-{run}","successUrl":"https://shop.test/ok","cancelUrl":"https://shop.test/no",${fields}}`

describe('an amount', () => {
  const invalidAmount = (sent: string, rule: string): Case => ({
    ...refused,
    name: `may not be ${sent}`,
    raw: order(`"amount":${sent}`),
    body: { error: 'Bad Request', message: `Invalid field: amount ${rule}` },
  })
  const notAnAmount = (sent: string) =>
    invalidAmount(sent, 'must be a positive number with at most two decimals')
  play([
    ...[
      ['1000', '1000.00'],
      ['1000.00', '1000.00'],
      ['1e3', '1000.00'],
      ['1000.5', '1000.50'],
      ['0.01', '0.01'],
      ['0.1', '0.10'],
      ['4.35', '4.35'],
      ['1.10', '1.10'],
      ['8.2', '8.20'],
      ['1234567.89', '1234567.89'],
      ['999999999.99', '999999999.99'],
    ].map(
      ([sent, written]): Case => ({
        ...created,
        name: `sent as ${sent} is written ${written}`,
        raw: order(`"amount":${sent}`),
        text: `"amount":${written},"currency":"USD"`,
      }),
    ),
    ...['"1000.00"', '0', '-0', '-1', '0.001', '10.005', '0.30000000000000004'].map(notAnAmount),
    ...['null', 'true', '[1000]', '{}', '1e400', '-1e400'].map(notAnAmount),
    ...['1000000000', '1e21'].map((sent) => invalidAmount(sent, 'must be at most 999999999.99')),
    ...['01000', '1000.', '.5', '+1', 'NaN', 'Infinity', '0x10', '1_000'].map(
      (sent): Case => ({
        ...refused,
        name: `may not be ${sent}, which is not JSON`,
        raw: order(`"amount":${sent}`),
        body: { message: 'Malformed JSON body' },
      }),
    ),
  ])
})

describe('a reference', () => {
  const rule = 'must be a string of 1 to 255 characters'
  play([
    ...[
      ['one character', 'x'],
      ['255 characters', 'x'.repeat(255)],
      ['spaces around it', '  o 1\t'],
      ['letters of any script', 'Bestellung-№-注文'],
      ['a null character', 'a\u0000b'],
      ['255 emoji', '🧾'.repeat(255)],
      ['the name of a property that every object has', '__proto__'],
    ].map(
      ([what, orderId]): Case => ({
        ...created,
        name: `may have ${what}, and is kept as it was sent`,
        json: { ...ORDER, orderId },
        body: { orderId },
      }),
    ),
    ...(
      [
        ['empty', '', rule],
        ['256 characters long', 'x'.repeat(256), rule],
        ['256 characters, emoji among them', `${'🧾'.repeat(254)}xx`, rule],
        ['a number', 7, rule],
        ['null', null, rule],
        ['true', true, rule],
        ['a list', ['o'], rule],
        ['an object', {}, rule],
        ['half of a surrogate pair', 'a\ud83e', 'must be well-formed Unicode'],
      ] as const
    ).map(
      ([what, orderId, message]): Case => ({
        ...refused,
        name: `may not be ${what}`,
        json: { ...ORDER, orderId },
        body: { message: `Invalid field: orderId ${message}` },
      }),
    ),
  ])
})

describe('a URL', () => {
  const ofLength = (length: number) => `https://shop.test/${'x'.repeat(length - 18)}`
  play([
    ...[
      'https://shop.test',
      'http://localhost:3000/ok',
      'http://127.0.0.1/ok?a=1&a=2#top',
      'HTTPS://Shop.Test/../ok',
      'https://shop.test/%7Eok',
      'https://münchen.test/straße',
      ofLength(2048),
    ].map(
      (successUrl): Case => ({
        ...created,
        name: `may be ${successUrl.slice(0, 40)}, and is echoed exactly as sent`,
        json: { ...ORDER, successUrl },
        body: { successUrl },
      }),
    ),
    ...[
      '',
      '/ok',
      'shop.test/ok',
      '//shop.test/ok',
      'ftp://shop.test/ok',
      'javascript:alert(1)',
      'data:text/html,ok',
      'https://',
      ' https://shop.test',
      'https://shop.test:99999/',
      ofLength(2049),
      7,
      null,
      'https://shop.test/\ud83e',
    ].map(
      (cancelUrl): Case => ({
        ...refused,
        name: `may not be ${JSON.stringify(cancelUrl).slice(0, 40)}`,
        json: { ...ORDER, cancelUrl },
        body: {
          message:
            'Invalid field: cancelUrl must be an absolute http or https URL of at most 2048 characters',
        },
      }),
    ),
  ])
})

describe('a body', () => {
  const malformed = { ...refused, body: { error: 'Bad Request', message: 'Malformed JSON body' } }
  /** Ignored or refused, depending on the profile. */
  const withUnknown = (field: string, base: Pick<Case, 'name' | 'json' | 'raw' | 'body' | 'absent'>): Case =>
    requestRules.unknownFields === 'ignore'
      ? { ...created, ...base }
      : { ...refused, ...base, absent: [], body: { message: `Unknown field: ${field}` } }
  const nested = (depth: number) => `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`
  play([
    { ...malformed, name: 'may not be a list', raw: '[]' },
    { ...malformed, name: 'may not be a string', raw: '"text"' },
    { ...malformed, name: 'may not be a number', raw: '1' },
    { ...malformed, name: 'may not be null', raw: 'null' },
    { ...malformed, name: 'may not be white space', raw: ' ' },
    { ...malformed, name: 'may not be truncated', raw: '{"amount":' },
    { ...malformed, name: 'may not continue after its end', raw: '{}{}' },
    { ...malformed, name: 'may not have single quotes', raw: "{'amount':1}" },
    { ...malformed, name: 'may not have a trailing comma', raw: '{"amount":1,}' },
    { ...malformed, name: 'may not start with a byte order mark', raw: '\ufeff{}' },
    {
      ...malformed,
      name: 'must be UTF-8',
      raw: Uint8Array.of(0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d),
    },
    { ...malformed, name: 'may not be UTF-16', raw: new Uint8Array(Buffer.from('{}', 'utf16le')) },
    { ...malformed, name: 'may not be nested deeper than 64', raw: order(`"amount":1,"deep":${nested(65)}`) },
    withUnknown('deep', {
      name: 'may be nested 64 deep',
      raw: order(`"amount":1,"deep":${nested(64)}`),
      absent: ['deep'],
    }),
    withUnknown('note', {
      name: 'may have unknown fields',
      json: { ...ORDER, note: 'x', constructor: {}, status: 'confirmed', id: 'chk_mine', currency: 'EUR' },
      body: { status: 'pending', id: /^chk_[0-9A-Za-z]{24}$/, currency: 'USD' },
      absent: ['note', 'constructor.name'],
    }),
    withUnknown('__proto__', {
      name: 'cannot set a prototype',
      raw: order('"amount":1,"__proto__":{"amount":2,"paymentMethodType":"card"}'),
      body: { amount: 1, paymentMethodType: null },
    }),
    {
      ...refused,
      name: 'does not inherit a field from a __proto__ field',
      raw: order('"__proto__":{"amount":2}'),
      body: { message: 'Missing required field: amount' },
    },
    {
      ...created,
      name: 'may have a field twice: the last value counts',
      raw: order('"amount":1,"amount":2'),
      body: { amount: 2 },
    },
    {
      ...refused,
      name: 'is optional, and defaults to an empty object',
      body: { message: 'Missing required field: orderId' },
    },
    { ...canceled, name: 'is optional with an action' },
    { ...canceled, name: 'may be empty with an action', raw: '' },
    { ...malformed, ...cancel, name: 'must be JSON with an action as well', raw: 'now' },
  ])
})

describe('the media type', () => {
  const isStrict = requestRules.mediaType === 'strict'
  const wrong = {
    call,
    json: ORDER,
    status: 415,
    body: { error: 'Unsupported Media Type', message: 'Content-Type must be application/json' },
  }
  play([
    ...['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=iso-8859-1'].map(
      (type): Case => ({
        ...created,
        name: `may be ${type}`,
        json: ORDER,
        headers: { 'content-type': type },
      }),
    ),
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json5',
      'application/problem+json',
      'json',
      '',
    ].map(
      (type): Case => ({
        ...(isStrict ? wrong : { ...created, json: ORDER }),
        name: `${isStrict ? 'may not' : 'may'} be "${type}"`,
        headers: { 'content-type': type },
      }),
    ),
    {
      ...wrong,
      name: 'is required if there is a body',
      ...(!isStrict && { name: 'is optional', status: 400, body: { error: 'Bad Request' } }),
      json: undefined,
      raw: new Uint8Array(Buffer.from('{}')),
      headers: { 'content-type': ABSENT },
    },
    {
      ...canceled,
      name: 'does not matter without a body',
      headers: { 'content-type': 'text/plain' },
    },
    {
      name: 'does not matter with GET',
      given: ['a checkout'],
      call: 'GET /v1/checkouts/{checkout}',
      headers: { 'content-type': 'text/plain' },
      status: 200,
    },
  ])
})

describe('the size', () => {
  play([
    {
      ...created,
      name: 'may be 100 KiB',
      raw: Buffer.from(order('"amount":1').replaceAll('{run}', 'x').padEnd(102_400)),
    },
    {
      name: 'may not be a byte more',
      call,
      raw: Buffer.from(order('"amount":1').replaceAll('{run}', 'x').padEnd(102_401)),
      status: 413,
      body: { error: 'Content Too Large', message: 'Request body is too large' },
    },
  ])
})
