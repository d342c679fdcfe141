import { expect, test } from 'vitest'
import { createSimulator, type SimulatorOptions, signWebhook } from '../../src/index.ts'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { firstOf } from '../effort.ts'
import { openApiProblems } from '../openapi-problems.ts'
import { DIFFERENT, EVERY_KEY } from './different-profile.ts'

interface Described {
  operationId: string
  parameters: { $ref?: string }[]
  responses: Record<string, unknown>
}

interface Webhook {
  parameters: { $ref: string }[]
  requestBody: { content: { 'application/json': { schema: { $ref: string } } } }
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

const LINTED: readonly (readonly [name: string, options: SimulatorOptions])[] = [
  ['the defaults', {}],
  ['a profile that changes every key', { profile: EVERY_KEY }],
  ['another profile', { profile: DIFFERENT }],
  ['times without milliseconds', { profile: { timestamps: { milliseconds: false } } }],
]

// Both linters are loaded by the first test, and read every schema at each place that refers to it.
test.for(firstOf(1, LINTED))(
  'the document passes two strict linters under %s',
  { timeout: 60_000 },
  async ([, options]) => {
    expect(await openApiProblems(await served(options))).toEqual([])
  },
)

test('the document matches the table: every row, and nothing else', async () => {
  const { paths } = JSON.parse(await served()) as Document
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
    ),
  )
  expect(rows.sort()).toEqual(OPERATIONS.map(({ method, path, id }) => `${method} ${path} ${id}`).sort())
})

test('each event type has a webhook, discriminated by its type, with the resource as its data', async () => {
  const { webhooks, components } = JSON.parse(await served())
  const schemaOf = ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1)!]
  const types = Object.entries(webhooks as Record<string, { post: Webhook }>).map(([type, { post }]) => {
    const { properties } = schemaOf(post.requestBody.content['application/json'].schema)
    return [type, properties.type.const, properties.data.$ref.split('/').at(-1)]
  })
  const resource = (type: string) =>
    type.replace(/\..*/, '').replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
  expect(types).toEqual(EVENT_TYPES.map((type) => [type, type, resource(type)]))
  expect(components.schemas.Event.anyOf.map(schemaOf)).toHaveLength(EVENT_TYPES.length)
  const headers = Object.keys(
    signWebhook('{}', { secret: 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE=', id: 'evt_1' }),
  )
  for (const { post } of Object.values(webhooks as Record<string, { post: Webhook }>)) {
    const names = post.parameters.map(({ $ref }) => components.parameters[$ref.split('/').at(-1)!].name)
    expect(names).toEqual(headers)
  }
})

test('no $ref has siblings', async () => {
  const beside: unknown[] = []
  JSON.parse(await served(), (_, part) => {
    if (typeof part?.$ref === 'string' && Object.keys(part).length > 1) beside.push(part)
    return part
  })
  expect(beside).toEqual([])
})

// The diff of this file shows a renamed field to users of generated clients. `npm run openapi:update` rewrites it.
test('the document is the one in fixtures/openapi.json', async () => {
  const document = JSON.stringify(JSON.parse(await served()), null, 2)
  await expect(`${document}\n`).toMatchFileSnapshot('../../fixtures/openapi.json')
})

test('the document of a sandbox with a profile uses its names', async () => {
  const document = await served({ profile: DIFFERENT })
  const { paths, components } = JSON.parse(document)
  expect(paths['/v1/refunds/{id}/status'].get.operationId).toBe('refunds.get')
  expect(Object.keys(paths['/v1/checkouts'].post.responses)).toEqual(
    expect.arrayContaining(['200', '400', '429']),
  )
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['X-Replayed', 'RateLimit-Limit']))
  expect(components.schemas.Checkout.properties).toMatchObject({
    checkoutRef: { example: expect.stringMatching(/^pay-\w{32}$/) },
    state: { enum: ['OPEN', 'ACCEPTED', 'PAID', 'DEAD'] },
    livemode: { const: false },
  })
  expect(document).toContain('"No such Checkout"')
  const simulator = createSimulator({ profile: DIFFERENT })
  simulator.sandbox('plain', { profile: {} })
  const ofPlain = await simulator.fetch(new Request('http://shop.test/openapi.json?sandbox=plain'))
  expect(await ofPlain.json()).toHaveProperty(['paths', '/v1/refunds/{id}'])
})
