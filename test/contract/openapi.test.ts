import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { OPERATIONS } from '../../src/operations/table.ts'

interface Described {
  operationId: string
  parameters: { $ref?: string }[]
  responses: Record<string, unknown>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  servers: { url: string }[]
}

const served = async (): Promise<string> => {
  const response = await createSimulator().fetch(new Request('http://shop.test:4100/openapi.json'))
  return response.text()
}

// The strictest rules that this linter has, but for one that forbids localhost, which is where this API lives.
test('the document passes a strict linter', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-server-example.com': 'off' },
  })
  const problems = await lintFromString({ source: await served(), config })
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
