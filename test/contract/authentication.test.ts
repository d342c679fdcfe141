import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { type Case, play } from './case.ts'
import { ABSENT, contract, isRemote, openPlatform } from './platform.ts'

const refused = {
  status: 401,
  body: { error: 'Unauthorized', message: 'Invalid API key' },
  answerHeaders: { 'www-authenticate': 'ApiKey' },
  absent: ['existingResourceId'],
}

describe('a request without a valid key', () => {
  const call = 'GET /v1/checkouts'
  play([
    { ...refused, name: 'has no key', call, headers: { 'x-api-key': ABSENT } },
    { ...refused, name: 'has an empty key', call, headers: { 'x-api-key': '' } },
    { ...refused, name: 'has an unknown key', call, headers: { 'x-api-key': 'sk_staging_nobody' } },
    { ...refused, name: 'has a production key', call, headers: { 'x-api-key': 'sk_live_default' } },
    {
      ...refused,
      name: 'has the key in another header',
      call,
      headers: { 'x-api-key': ABSENT, authorization: 'Bearer sk_staging_default' },
    },
  ])
})

describe('every endpoint requires the key', () => {
  play(
    OPERATIONS.map(
      ({ method, path }): Case => ({
        ...refused,
        name: `${method} ${path}`,
        call: `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`,
        headers: { 'x-api-key': 'no' },
      }),
    ),
  )
})

describe.skipIf(isRemote)('two platforms', () => {
  const wrongKey = { headers: { 'x-api-key': 'sk_staging_other' } }
  const options = { sandboxes: ['other'] }

  play([
    {
      ...wrongKey,
      options,
      name: "see each other's resources as unknown",
      given: ['a checkout'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 404,
      body: { error: 'Not Found', message: 'Checkout not found' },
    },
    {
      ...wrongKey,
      options,
      name: "cannot act on each other's resources",
      given: ['a checkout'],
      call: 'POST /v1/checkouts/{checkout}/cancel',
      status: 404,
      body: { message: 'Checkout not found' },
    },
  ])
})

test.skipIf(isRemote)('a key is never written to the journal', async () => {
  const platform = openPlatform()
  await platform.send({ call: 'GET /v1/checkouts', headers: { 'x-api-key': 'sk_staging_mistyped' } })
  await platform.send({ call: 'GET /v1/checkouts' })
  const journal = JSON.stringify([...platform.tester.sandbox.journal.newestFirst()])
  expect(journal).toContain(contract.pathOf('checkouts.list'))
  expect(journal).not.toContain('sk_staging')
})
