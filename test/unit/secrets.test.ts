import { expect, test } from 'vitest'
import { hasSecretName, Secrets, secretsIn } from '../../src/spec/secrets.ts'

test('a secret is hidden as is, and as escaped in JSON, XML and HTML', () => {
  const secrets = new Secrets()
  secrets.add('sk_one')
  secrets.add('a"b<c&d\n')
  secrets.add(undefined)
  secrets.add('short')
  secrets.add('longer')
  const json = JSON.stringify('a"b<c&d\n')
  expect(secrets.hide(`sk_one, a"b<c&d\n, ${json}, a&quot;b&lt;c&amp;d\n, short, longer, sk_2`)).toBe(
    '••••, ••••, "••••", ••••, short, ••••, sk_2',
  )
})

test('of two secrets with the same beginning, both are hidden', () => {
  const secrets = new Secrets()
  secrets.add('whsec_first')
  secrets.add('whsec_second')
  secrets.add('whsec_second_of_two')
  expect(secrets.hide('whsec_second_of_two whsec_second whsec_first whsec_third')).toBe(
    '•••• •••• •••• whsec_third',
  )
})

test('a secret in an address is hidden, whichever of its characters are encoded', () => {
  const secrets = new Secrets()
  secrets.add('sk_one/two+3=')
  for (const written of ['sk_one%2Ftwo%2B3%3D', 'sk_one%2ftwo+3=', 'sk%5Fone/two+3%3d'])
    expect(secrets.hide(`GET /v1/${written}?a=%20 200`)).toBe('GET /v1/••••?a=%20 200')
  expect(secrets.hide('100% of a%2Fb')).toBe('100% of a%2Fb')
})

test('only the latest secrets are remembered, and those of one request together', () => {
  const secrets = new Secrets({ latest: 2 })
  secrets.addAll(['first-1', 'first-2', 'first-3'])
  expect(secrets.hide('first-1 first-2 first-3')).toBe('•••• •••• ••••')
  secrets.addAll(['first-1', 'second'])
  expect(secrets.hide('first-1 first-2 first-3 second')).toBe('•••• first-2 first-3 ••••')
})

test('the secrets of a request are the values with a secret name, and their parts', () => {
  const basic = Buffer.from('sk_user:passw0rd').toString('base64')
  const found = secretsIn({
    target: '/v1/checkouts?access_token=tok%2Fen&limit=100000&pageToken=notone',
    headers: [
      ['Authorization', `Basic ${basic}`],
      ['authorization', 'Bearer bear-er'],
      ['cookie', 'theme=dark; sid="c00kie%3D"'],
      ['Set-Cookie', 's=s3ssion; Path=/abcdef; HttpOnly'],
      ['x-csrf-token', 'csrf-1'],
      ['x-api-key', 'sk_staging'],
      ['idempotency-key', 'once-only'],
      ['content-type', 'application/json'],
    ],
  })
  for (const secret of [
    ...[basic, 'sk_user', 'passw0rd', 'bear-er', 'c00kie%3D', 'c00kie=', 's3ssion', 'csrf-1', 'sk_staging'],
    ...['tok%2Fen', 'tok/en'],
  ])
    expect(found).toContain(secret)
  for (const word of ['100000', 'notone', 'once-only', 'application/json', '/abcdef'])
    expect(found).not.toContain(word)
})

test.for([
  ...(['x-api-key', 'apiKey', 'key', 'Authorization', 'X-XSRF-TOKEN', 'clientSecret', 'sessionId'] as const),
])('%s names a secret', (name) => expect(hasSecretName(name)).toBe(true))

test.for(['idempotency-key', 'page_token', 'limit', 'orderId', 'www-authenticate', 'x-sim-request'])(
  '%s is not a secret name',
  (name) => expect(hasSecretName(name)).toBe(false),
)
