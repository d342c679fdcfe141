/** `paysim sign --to`: one webhook sent by hand, such as the webhook of a ticket. */
import { expect, test } from 'vitest'
import { verifyWebhook } from '../../src/index.ts'
import { sendSigned } from '../../src/tools/commands/sign.ts'
import { SECRET, service } from './service.ts'

const BODY =
  '{"id":"evt_1","type":"refund.completed","timestamp":"2026-01-01T00:00:00.000Z","data":{"id":"ref_1"}}'

test('a webhook is sent like a delivery, and the response of the receiver is printed', async () => {
  const receiver = await service(() => ({ status: 422, text: 'no such refund' }))
  const { isTaken, said } = await sendSigned(BODY, receiver.url, { secret: SECRET, id: 'evt_1' })
  expect([isTaken, said.replace(/after .*\n/, 'after …\n')]).toEqual([
    false,
    `${receiver.url} → 422, after …\nno such refund\n`,
  ])
  const { body, headers } = receiver.asked[0]!
  // It throws if the signature is invalid.
  verifyWebhook(body, headers as Record<string, string>, { secret: SECRET })
  expect([body, headers['webhook-id']]).toEqual([BODY, 'evt_1'])
})

test('a webhook has the id of its event, or the given id', async () => {
  const receiver = await service(() => ({ status: 204 }))
  for (const body of [BODY, '{"id":"a b"}', 'no event'])
    await sendSigned(body, receiver.url, { secret: SECRET })
  await sendSigned(BODY, receiver.url, { secret: SECRET, id: 'evt_2' })
  expect(receiver.asked.map(({ headers }) => headers['webhook-id'])).toEqual([
    'evt_1',
    'evt_example',
    'evt_example',
    'evt_2',
  ])
})

test('a receiver that accepts it, and an unreachable one', async () => {
  const receiver = await service(() => ({ status: 204 }))
  expect(await sendSigned(BODY, receiver.url, { secret: SECRET, id: 'e' })).toMatchObject({ isTaken: true })
  expect(await sendSigned(BODY, 'http://127.0.0.1:9', { secret: SECRET, id: 'e' })).toEqual({
    isTaken: false,
    said: expect.stringContaining('no answer: connect ECONNREFUSED'),
  })
})
