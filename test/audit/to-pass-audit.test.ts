/** `expect(shop).toPassAudit()`, with an embedded sandbox and with a sandbox in another process. */
import { expect, test } from 'vitest'
import { connect } from '../../src/control-client.ts'
import { useSandbox } from '../../src/vitest.ts'
import { confirmedCheckout, openShop } from '../control/shop.ts'

const used = useSandbox()

test('a sandbox without requests fails, unless it may be idle', async () => {
  const failing =
    'no request was received under /v1. Does the client use the url and the apiKey of this sandbox?'
  expect(() => expect(used).toPassAudit()).toThrow(failing)
  expect(() => expect(used).not.toPassAudit()).toThrow(failing)
  expect(used).toPassAudit({ idle: true })
  await fetch(`${used.url}/wrong`, { headers: { 'x-api-key': used.apiKey } })
  expect(() => expect(used).toPassAudit()).toThrow(failing)

  const remote = await connect(used.url).find(used.name)
  await expect(expect(remote).toPassAudit()).rejects.toThrow(failing)
  await expect(remote).toPassAudit({ idle: true })
})

test('an error fails with the finding, unless its rule is silenced', async () => {
  const { shop, simulator, call } = openShop()
  await confirmedCheckout(call)
  expect(() => expect(shop).toPassAudit()).toThrow('error C1: Money is moved without an Idempotency-Key')
  expect(shop).toPassAudit({ ignore: { C1: 'legacy importer' } })

  const { url } = await simulator.listen()
  const remote = await connect(url).find('default')
  await expect(expect(remote).toPassAudit()).rejects.toThrow('at stake: $1,000.00')
  await expect(remote).toPassAudit({ ignore: { C1: 'legacy importer' } })
})

test('a warning does not fail', async () => {
  const { shop, call } = openShop()
  await call('GET', '/v1/refunds/ref_1')
  await call('GET', '/v1/refunds/ref_1')
  await call('GET', '/v1/refunds/ref_1')
  expect(shop.audit()).toMatchObject({ errors: 0, warnings: 1 })
  expect(shop).toPassAudit()
})
