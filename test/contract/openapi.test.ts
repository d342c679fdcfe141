import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { OPERATIONS } from '../../src/operations/table.ts'
import { DIFFERENT } from './different-profile.ts'

interface Described {
  operationId: string
  parameters: { $ref?: string }[]
  responses: Record<string, unknown>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  servers: { url: string }[]
}

const served = async (options: SimulatorOptions = {}, query = ''): Promise<string> => {
  const response = await createSimulator(options).fetch(
    new Request(`http://shop.test:4100/openapi.json${query}`),
  )
  return response.text()
}

// The strictest rules that this linter has, but for one that forbids localhost, which is where this API lives.
test.for([
  ['the defaults', {}],
  ['another profile', { profile: DIFFERENT }],
] as const)('the document passes a strict linter under %s', async ([, options]) => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-server-example.com': 'off' },
  })
  const problems = await lintFromString({ source: await served(options), config })
  expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([])
})

test('the document is the table: every row, and nothing else', async () => {
  const { paths } = JSON.parse(await served()) as Document
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
    ),
  )
  expect(rows.sort()).toEqual(OPERATIONS.map(({ method, path, id }) => `${method} ${path} ${id}`).sort())
})

// Who generates a client from the document sees a renamed field here first. `npm run openapi:update` writes it again.
test('the document is the one in fixtures/openapi.json', async () => {
  const document = JSON.stringify(JSON.parse(await served()), null, 2)
  await expect(`${document}\n`).toMatchFileSnapshot('../../fixtures/openapi.json')
})

test('the document of a sandbox with a profile has its words', async () => {
  const document = await served({ profile: DIFFERENT })
  const { paths, components } = JSON.parse(document)
  expect(paths['/v1/refunds/{id}/status'].get.operationId).toBe('refunds.get')
  expect(Object.keys(paths['/v1/checkouts'].post.responses)).toEqual(
    expect.arrayContaining(['200', '400', '429']),
  )
  expect(paths['/v1/checkouts'].get.parameters.map(({ name }: { name: string }) => name)).toContain(
    'page_size',
  )
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['X-Replayed', 'RateLimit-Limit']))
  expect(components.schemas.Checkout.properties).toMatchObject({
    id: { example: expect.stringMatching(/^pay-\w{32}$/) },
    status: { enum: ['OPEN', 'ACCEPTED', 'PAID', 'DEAD'] },
    livemode: { const: false },
  })
  expect(Object.keys(components.schemas.CheckoutPage.properties)).toEqual(['items', 'more', 'after'])
  expect(document).toContain('"No such Checkout"')
  const simulator = createSimulator({ profile: DIFFERENT })
  simulator.sandbox('plain', { profile: {} })
  const ofPlain = await simulator.fetch(new Request('http://shop.test/openapi.json?sandbox=plain'))
  expect(await ofPlain.json()).toHaveProperty(['paths', '/v1/refunds/{id}'])
})
