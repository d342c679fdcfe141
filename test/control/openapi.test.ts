import { expect, test } from 'vitest'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { openApiProblems } from '../openapi-problems.ts'
import { openSimulator } from './shop.ts'

async function served(): Promise<string> {
  const response = await openSimulator().fetch(new Request('http://localhost:4100/_sim/openapi.json'))
  return response.text()
}

// Both linters are loaded here, and read every schema at each place that refers to it.
test("the tester's document passes two strict linters", { timeout: 60_000 }, async () => {
  expect(await openApiProblems(await served())).toEqual([])
})

test('every writing request can be refused because of a full disk', async () => {
  const { paths } = JSON.parse(await served()) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  for (const methods of Object.values(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      if (method === 'get') expect(responses).not.toHaveProperty('503')
      else expect(responses).toHaveProperty('503')
    }
  }
})

test('the document has every row, for the default sandbox and for any other, and nothing else', async () => {
  const { paths } = JSON.parse(await served()) as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const rows = [
    ...SIMULATOR_ROUTES.map(({ method, path }) => `${method} /_sim${path}`),
    ...SANDBOX_ROUTES.map(({ method, path }) => `${method} /_sim${path}`),
    ...SANDBOX_ROUTES.map(({ method, path }) => `${method} /_sim/sandboxes/{sandbox}${path}`),
  ]
  expect(described.sort()).toEqual(rows.sort())
})

// openapi-zod-client writes each pattern between slashes and escapes the slashes in it.
test('no pattern has an escaped slash, which would end it early in generated code', async () => {
  const patterns = [...(await served()).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
    JSON.parse(json!),
  )
  expect(patterns.filter((pattern) => pattern.includes('/'))).not.toEqual([])
  expect(patterns.filter((pattern) => pattern.includes('\\/'))).toEqual([])
})
