/** §6, D36: the scheme's own published vector, and what a receiver must refuse. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { isSecret, signWebhook, verifyWebhook, whyInvalid } from '../../src/webhooks/sign.ts'

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
  it('is the published one', () => {
    expect(signed).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': vector.signature,
    })
  })

  it('is what the official package makes', () => {
    expect(new Webhook(secret).sign(id, new Date(at), body)).toBe(vector.signature)
  })

  it('is believed for five minutes, before and after', () => {
    for (const seconds of [-300, 0, 300]) {
      expect(whyInvalid(body, signed, { secret, at: at + seconds * 1000 })).toBeUndefined()
    }
  })

  it('is believed beside another one, as during a rotation', () => {
    const both = { ...signed, 'webhook-signature': `v1,AAAA ${signed['webhook-signature']}` }
    expect(whyInvalid(body, both, { secret, at })).toBeUndefined()
  })

  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  it.each([
    ['of another body', `${body} `, signed, secret, at, 'No signature'],
    ['of another secret', body, signed, other, at, 'No signature'],
    ['of another id', body, { ...signed, 'webhook-id': 'msg_other' }, secret, at, 'No signature'],
    ['too old', body, signed, secret, at + 301_000, 'five minutes'],
    ['too new', body, signed, secret, at - 301_000, 'five minutes'],
    ['without a time', body, { ...signed, 'webhook-timestamp': 'soon' }, secret, at, 'number of seconds'],
    ['left out', body, { 'webhook-id': id }, secret, at, 'missing'],
  ])('is refused when it is %s', (_, text, headers, key, now, reason) => {
    expect(() => verifyWebhook(text, headers, { secret: key, at: now })).toThrow(reason)
  })

  it.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
    ['whsec_', false],
    ['whsec_AAAA', false],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  ])('takes the secret %s: %s', (text, right) => {
    expect(isSecret(text)).toBe(right)
  })
})
