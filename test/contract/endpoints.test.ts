import { describe, expect, test } from 'vitest'
import endpoints from '../../fixtures/endpoints.json' with { type: 'json' }
import { OPERATIONS } from '../../src/service/operations/table.ts'

type Endpoint = (typeof endpoints)[number]

const rows: Endpoint[] = OPERATIONS.map(({ method, path, honorsKey: idempotent }) => ({
  method,
  path,
  idempotent,
}))
const byPath = (a: Endpoint, b: Endpoint) => (a.path + a.method < b.path + b.method ? -1 : 1)
const isSpecs = ({ method, path }: Endpoint) => method === 'POST' || path === '/v1/checkouts'

describe('the table of operations', () => {
  test('lists the endpoints of §4, and honors keys at the same ones', () => {
    expect(rows.filter(isSpecs).sort(byPath)).toEqual([...endpoints].sort(byPath))
  })

  test('adds only reads, and none of them honors a key (D55)', () => {
    const added = rows.filter((row) => !isSpecs(row))
    expect(added.map(({ method, idempotent }) => ({ method, idempotent }))).toEqual(
      added.map(() => ({ method: 'GET', idempotent: false })),
    )
  })
})
