/** `paysim sign`: the headers of a webhook, to send by hand. */
import { expect, test } from 'vitest'
import { verifyWebhook } from '../../src/index.ts'
import { SECRET } from '../scenarios/service.ts'
import { runPaysim } from './paysim.ts'

const BODY =
  '{"id":"evt_1","type":"refund.completed","timestamp":"2026-01-01T00:00:00.000Z","data":{"id":"ref_1"}}'

test.each([
  [BODY, [], 'evt_1'],
  ['{"id":"a b"}', [], 'evt_example'],
  ['no event', [], 'evt_example'],
  [BODY, ['--id', 'evt_2'], 'evt_2'],
])('%s %j is signed with the id %s', async (body, flags, id) => {
  const { stdout } = await runPaysim(['sign', body, '--secret', SECRET, ...flags])
  const headers = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  )
  // It throws if the signature is invalid.
  verifyWebhook(body, headers, { secret: SECRET })
  expect(headers['webhook-id']).toBe(id)
})
