/** Requirements of a proxy in front of many processes, which routes a request by the name of its sandbox. */
import { expect, test } from 'vitest'
import { connect } from '../../src/control-client.ts'
import { asTester, type Method, openSimulator } from './shop.ts'

const ask = (path: string, method: Method, body: unknown, headers?: Record<string, string>) =>
  asTester(openSimulator({ sandboxes: ['taken'] }))(method, path, body, headers)

test('PUT creates a sandbox with the given name, and is refused if the name exists', async () => {
  const put = (name: string) => ask(`/sandboxes/${name}?new=true`, 'PUT', {})
  expect(await put('shop')).toMatchObject({ status: 200, body: { name: 'shop', apiKey: 'sk_staging_shop' } })
  expect(await put('taken')).toMatchObject({ status: 409 })
  expect(await ask('/sandboxes/taken', 'PUT', {})).toMatchObject({ status: 200 })
})

test('A sandbox without a name takes the name that the proxy proposes', async () => {
  const post = (body: object) => ask('/sandboxes', 'POST', body, { 'sandbox-name': 'a1b2' })
  expect(await post({})).toMatchObject({ status: 201, body: { name: 'a1b2', apiKey: 'sk_staging_a1b2' } })
  expect(await post({ name: 'a1b2' })).toMatchObject({ status: 201 })
})

test('A name that the proxy did not see is refused, because later requests would go to another process', async () => {
  expect(await ask('/sandboxes', 'POST', { name: 'shop' }, { 'sandbox-name': 'a1b2' })).toMatchObject({
    status: 400,
    body: { message: 'The sandbox shop is unknown; PUT /_sim/sandboxes/shop creates it' },
  })
})

test('A client sends the name of every sandbox, and names a copy after its source', async () => {
  const simulator = openSimulator()
  const { url } = await simulator.listen()
  const client = connect(url)
  expect((await client.create()).name).toMatch(/^sandbox-[0-9a-f]{8}$/)
  const shop = await client.create({ name: 'shop' })
  expect((await client.create({ from: shop })).name).toMatch(/^shop--[0-9a-f]{8}$/)
  await expect(client.create({ name: 'shop' })).rejects.toMatchObject({ status: 409 })
})

test('The description and the list name the process that responded', async () => {
  const simulator = openSimulator()
  const ask = asTester(simulator)
  const { process } = (await ask('GET', '')).body
  expect(process).toMatch(/:\d+$/)
  expect((await ask('GET', '/sandboxes')).body).toMatchObject({ process })
})
