/** §6, D36: the scheme's own published vector, and signatures that a receiver must refuse. */
import { describe, expect, it } from 'vitest'
import { signWebhook, verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { isSigningSecret } from '../../src/spec/contract/signing-secret.ts'

const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330_000,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const { secret, id, at, body } = vector
const signed = signWebhook(body, { secret, id, at })

describe('a signature', () => {
  it('equals the published example', () => {
    expect(signed).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': vector.signature,
    })
  })

  it('is valid for five minutes, before and after', () => {
    for (const seconds of [-300, 0, 300]) {
      verifyWebhook(body, signed, { secret, at: at + seconds * 1000 })
    }
  })

  it('is valid next to another signature, as during a rotation', () => {
    const both = { ...signed, 'webhook-signature': `v1,AAAA ${signed['webhook-signature']}` }
    verifyWebhook(body, both, { secret, at })
  })

  const second = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  it.each([
    ['of another body', `${body} `, signed, secret, at, 'No signature'],
    ['of another secret', body, signed, second, at, 'No signature'],
    ['of another id', body, { ...signed, 'webhook-id': 'msg_other' }, secret, at, 'No signature'],
    ['too old', body, signed, secret, at + 301_000, 'five minutes'],
    ['too new', body, signed, secret, at - 301_000, 'five minutes'],
    ['without a time', body, { ...signed, 'webhook-timestamp': 'soon' }, secret, at, 'number of seconds'],
    ['left out', body, { 'webhook-id': id }, secret, at, 'missing'],
  ])('is refused when it is %s', (_, text, headers, key, now, reason) => {
    expect(() => verifyWebhook(text, headers, { secret: key, at: now })).toThrow(reason)
  })

  it('is created and checked with the current time by default', () => {
    const now = signWebhook(body, { secret, id })
    verifyWebhook(body, now, { secret })
    expect(() => verifyWebhook(body, signed, { secret })).toThrow('five minutes')
    expect(() => verifyWebhook(body, now, { secret, at })).toThrow('five minutes')
  })

  it.each([
    ['a Date', new Date(at)],
    ['milliseconds', at],
    ['text', new Date(at).toISOString()],
    ['text with an offset', '2021-02-25T16:02:10+01:00'],
  ])('accepts the time %s', (_, time) => {
    expect(signWebhook(body, { secret, id, at: time })).toEqual(signed)
    verifyWebhook(body, signed, { secret, at: time })
  })

  it.each([
    ['no number', Number.NaN],
    ['no end', Number.POSITIVE_INFINITY],
    ['no Date', new Date('soon')],
    ['words', 'soon'],
    ['a date alone', '2021-02-25'],
    ['null', null as never],
    ['a flag', true as never],
  ])('refuses the time %s', (_, time) => {
    const why = 'at is a Date, milliseconds since 1970 or a text such as 2026-01-01T00:00:00Z, not '
    expect(() => signWebhook(body, { secret, id, at: time })).toThrow(why)
    expect(() => verifyWebhook(body, signed, { secret, at: time })).toThrow(why)
  })

  const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
  it.each([
    ['Headers', new Headers({ ...signed })],
    ['upper case', upper],
    ['the headers of a Node request', { host: 'shop.test', 'set-cookie': ['a', 'b'], ...signed }],
    ['a list of signatures', { ...signed, 'webhook-signature': ['v1,AAAA', signed['webhook-signature']] }],
  ])('reads its headers from %s', (_, headers) => {
    verifyWebhook(body, headers, { secret, at })
    expect(() => verifyWebhook(`${body} `, headers, { secret, at })).toThrow('No signature')
  })

  it('covers bytes or text, but never parsed JSON', () => {
    expect(signWebhook(Buffer.from(body), { secret, id, at })).toEqual(signed)
    verifyWebhook(Buffer.from(body), signed, { secret, at })
    const parsed = JSON.parse(body)
    expect(() => verifyWebhook(parsed, signed, { secret, at })).toThrow('before they are parsed as JSON')
    expect(() => signWebhook(parsed, { secret, id, at })).toThrow('before they are parsed as JSON')
  })

  it('requires an id', () => {
    expect(() => signWebhook(body, { secret, id: undefined as never, at })).toThrow('The id of a webhook')
  })

  it.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
    ['whsec_', false],
    ['whsec_AAAA', false],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  ])('takes the secret %s: %s', (text, right) => {
    expect(isSigningSecret(text)).toBe(right)
  })
})
