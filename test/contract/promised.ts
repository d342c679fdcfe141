/** What every answer has to keep: the table, the schemas and the headers, seen from outside. */
import { expect } from 'vitest'
import { z } from 'zod'
import { type Operation, statusesOf } from '../../src/service/operations/operation.ts'
import { operationsUnder } from '../../src/service/operations/table.ts'
import { ANSWER_HEADERS, headersUnder, type Occasion } from '../../src/spec/contract/answer-headers.ts'
import type { Contract } from '../../src/spec/contract/contract.ts'
import { locationOf } from '../../src/spec/contract/endpoints.ts'
import { ErrorBody, keyInFlight } from '../../src/spec/contract/errors.ts'
import type { Received } from './platform.ts'

/** D45: of the 409s, only the one of a key in flight. */
const comesWithRetryAfter = (contract: Contract, { status, body }: Received): boolean =>
  status === 429 ||
  (status === 409 &&
    (body as { message: string }).message === contract.refusals.bodyOf(keyInFlight()).message)

const rowFor = (contract: Contract, method: string, target: string): Operation | undefined => {
  const path = target.split('?', 1)[0]!
  const asked = method === 'HEAD' ? 'GET' : method
  return operationsUnder(contract).find(
    (row) => row.method === asked && new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

export function requirePromised(
  contract: Contract,
  method: string,
  target: string,
  received: Received,
): void {
  const { status, headers, text } = received
  const row = rowFor(contract, method, target)
  const declared: number[] = row ? statusesOf(row) : [401, 404, 405, 429]
  expect(declared, `${method} ${target} answered ${status}: ${text}`).toContain(status)

  expect(headers.get('content-type')).toBe('application/json')
  const isLocated = row !== undefined && locationOf(row.id) !== undefined && status === row.status
  const promised = (name: string, isPromised: boolean) =>
    expect(headers.get(name), `${name} with ${status}: ${text}`).toEqual(
      isPromised ? expect.any(String) : null,
    )
  const occasions: Occasion[] = [status, ...(isLocated ? (['created'] as const) : [])]
  const under = headersUnder(contract.profile)
  for (const { name, comes, sometimes } of ANSWER_HEADERS) {
    // A limit may be off, and only the case itself knows what it repeats.
    if (comes.includes('always') || comes.includes('replayed')) continue
    const row = under.find((one) => one.name === name)
    const may = row !== undefined && comes.some((one) => occasions.includes(one))
    if (!may || !sometimes) promised(row?.named ?? name, may)
  }
  if (method !== 'HEAD') promised('retry-after', comesWithRetryAfter(contract, received))
  if (method === 'HEAD') expect(text).toBe('')
  else requireShape(row && status === row.status ? row.answer : ErrorBody, received)
}

/** Reads the answer with its schema and writes it again: both must be equal, so no field is missing or unknown. */
function requireShape(schema: z.ZodType, { status, text, body }: Received): void {
  expect(z.encode(schema, z.decode(schema, body))).toEqual(body)
  expect(amountsIn(text).filter((amount) => !/^\d+\.\d\d$/.test(amount))).toEqual([])
  if (status !== 409) expect(body).not.toHaveProperty('existingResourceId')
}

/** §2: amounts as they are written, before a parser takes their decimals off. */
const amountsIn = (text: string) => [...text.matchAll(/"amount\w*":([^,}]*)/g)].map(([, amount]) => amount!)
