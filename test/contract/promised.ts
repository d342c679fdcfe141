/** Checks the guarantees of every response from outside: the table, the schemas and the headers. */
import { expect } from 'vitest'
import { z } from 'zod'
import { type Operation, statusesOf } from '../../src/service/operations/operation.ts'
import { operationsUnder } from '../../src/service/operations/table.ts'
import { ANSWER_HEADERS, headersUnder, type Occasion } from '../../src/spec/contract/answer-headers.ts'
import type { Contract } from '../../src/spec/contract/contract.ts'
import { ENDPOINTS, locationOf } from '../../src/spec/contract/endpoints.ts'
import { ErrorBody, keyInFlight } from '../../src/spec/contract/errors.ts'
import {
  EVENT_TYPES,
  EVENTS,
  RESOURCES,
  type ResourceName,
  resourceName,
} from '../../src/spec/contract/event.ts'
import { pageOf } from '../../src/spec/contract/pages.ts'
import { OPTIONAL_TEXTS } from '../../src/spec/contract/resources/checkout.ts'
import { translationOf } from '../../src/spec/contract/translation.ts'
import type { Received } from './platform.ts'

/** D45: of the 409s, only the 409 of a key in flight. */
const comesWithRetryAfter = (contract: Contract, { status, body }: Received): boolean =>
  status === 429 ||
  (status === 409 && (body as { message: string }).message === contract.refusalOf(keyInFlight()).message)

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
    // The limit may be off, and only the case itself knows whether it repeats a request.
    if (comes.includes('always') || comes.includes('replayed')) continue
    const row = under.find((header) => header.name === name)
    const may = row !== undefined && comes.some((occasion) => occasions.includes(occasion))
    if (!may || !sometimes) promised(row?.named ?? name, may)
  }
  if (method !== 'HEAD') promised('retry-after', comesWithRetryAfter(contract, received))
  if (method === 'HEAD') expect(text).toBe('')
  else if (row && status === row.status)
    requireShape(answerUnder(contract, row), inOurWords(contract, row, received))
  else requireShape(ErrorBody, received)
}

const inOurWords = (contract: Contract, { id }: Operation, { body, ...received }: Received): Received => ({
  ...received,
  body: translationOf(contract)?.json(id, received.status, body) ?? body,
})

/** The schema of a response under a profile, in default names. The profile omits fields and makes texts nullable (D22, D39). */
function answerUnder(
  { profile: { answers, requests }, codec, added }: Contract,
  { id, answer }: Operation,
): z.ZodType {
  if (!codec) return answer
  const optional = OPTIONAL_TEXTS.filter((name) => !requests.checkout.includes(name as never))
  const shown = (kind: ResourceName): z.ZodObject => {
    const schema: z.ZodObject = RESOURCES[kind]
    const texts = kind === 'checkout' ? optional.map((name) => [name, z.string().nullable()]) : []
    const more = added[kind].map(({ name, field }) => [name, field.shown])
    return without(schema.extend(Object.fromEntries([...texts, ...more])), answers.leaveOut[kind])
  }
  const event = z.union(
    EVENT_TYPES.map((type) =>
      without(EVENTS[type], answers.leaveOut.event).extend({ data: shown(resourceName(type)) }),
    ),
  )
  const { what, does } = ENDPOINTS[id]
  const single = what === 'event' ? event : shown(what)
  return does === 'list' ? pageOf(single) : single
}

const without = (schema: z.ZodObject, names: readonly string[]) =>
  z.object(Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !names.includes(name))))

/** Decodes and re-encodes the response with its schema: both must be equal, so no field is missing or unknown. */
function requireShape(schema: z.ZodType, { status, text, body }: Received): void {
  expect(z.encode(schema, z.decode(schema, body))).toEqual(body)
  expect(amountsIn(text).filter((amount) => !/^\d+\.\d\d$/.test(amount))).toEqual([])
  if (status !== 409) expect(body).not.toHaveProperty('existingResourceId')
}

/** §2: amounts as written, because a parser drops trailing zeros. */
const amountsIn = (text: string) => [...text.matchAll(/"amount\w*":([^,}]*)/g)].map(([, amount]) => amount!)
