import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test("a failing test reports its sandbox's requests, and the reasons for their responses", () => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      join(import.meta.dirname, 'failing/vitest.config.ts'),
    ],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  expect(status).toBe(1)
  expect(stdout).toContain('5 failed | 3 passed')

  expect(stderr).toContain(
    'Requests received by the sandbox of "a customer is created again under another name":',
  )
  expect(stderr).toContain('req_2  POST /v1/customers → 422  The Idempotency-Key order-1 was first used')
  expect(stderr).toContain('"Acme" → "Acme LLC"')

  expect(stderr).toContain('Route not found outside /v1; did you mean /v1/customers?')
  expect(stderr).toContain('Requests with an unknown API key:')
  expect(stderr).not.toContain('sk_wrong')
  expect(stderr).not.toContain('this one is right')
  expect(stderr + stdout).toContain('Error: The behavior refunds never acted; the nearest requests were')
  expect(stderr + stdout).toContain(
    'req_1 POST /v1/checkouts/chk_x/refunds → 404: op is checkouts.refund, not refunds.create',
  )
  // One error, from the fixture alone.
  expect(stderr + stdout).toContain('No such file: dmo; did you mean demo?')
  expect(stderr + stdout).not.toContain('TypeError')
  expect(stderr + stdout).toContain('A sandbox serves one test at a time')
}, 60_000)
