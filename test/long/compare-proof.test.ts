/**
 * A proxy in front of a second paysim changes one thing in one response: each field of each resource, in each way that it can be
 * wrong. Each change is reported at its step and field, and nothing else is reported.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { member, type NumberTexts, numberTexts } from '../../src/spec/contract/json-text.ts'
import { isObject } from '../../src/spec/contract/parsed-json.ts'
import { ORDER } from '../order.ts'
import { startOwn } from '../scenarios/own.ts'
import { folderOf, play } from '../scenarios/playing.ts'
import { served } from '../served.ts'

const READS = [
  'GET /v1/checkouts/${checkout}',
  'GET /v1/authorizations/${authorization}',
  'GET /v1/refunds/${refund}',
  'GET /v1/customers/${customer}',
  'GET /v1/customers/${customer}/payment-methods',
  'GET /v1/customers/${customer}/payment-methods/${method}',
  'GET /v1/events?limit=3',
  'GET /v1/checkouts/${refund}',
]

const STEPS = [
  `call: POST /v1/checkouts\n    json: ${JSON.stringify(ORDER)}\n    capture: { checkout: $.id }`,
  'sim: { advance: 1s }',
  'call: POST /v1/checkouts/${checkout}/confirm\n    capture: { customer: $.customerId, method: $.paymentMethodId }',
  'sim: { advance: 1s }',
  'call: POST /v1/checkouts/${checkout}/refunds\n    json: { amount: 250.00 }\n    capture: { refund: $.id }',
  'sim: { advance: 1h }',
  'call: POST /v1/authorizations\n    json: { customerId: "${customer}", amount: 500.00 }\n    capture: { authorization: $.id }',
  'sim: { advance: 1s }',
  'call: POST /v1/authorizations/${authorization}/capture\n    json: { amount: 300.00 }',
  'sim: { advance: 1s }',
  // Read everything twice, so that later reads see nothing for the first time.
  ...READS.map((call) => `call: ${call}`),
  ...READS.map((call) => `call: ${call}`),
]

const SCENARIO = `name: n
sandbox: { clock: { at: 2026-01-01T00:00:00Z }, refundDelay: 1m }
steps:
${STEPS.map((step) => `  - ${step}\n`).join('')}`

interface Change {
  /** The index of the changed request among those under /v1. */
  request: number
  path: string
  /** The JSON text that replaces the value; undefined removes the field. */
  to: string | undefined
}

/** Serializes JSON with one value changed and the text of every number preserved. */
function written(value: unknown, numbers: NumberTexts, { path: at, to }: Change, path = '$'): string {
  if (path === at && to !== undefined) return to
  if (Array.isArray(value))
    return `[${value.map((item, index) => written(item, numbers, { path: at, to } as Change, `${path}[${index}]`)).join(',')}]`
  if (!isObject(value)) return numbers.get(path) ?? JSON.stringify(value)
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    const place = path + member(name)
    if (place === at && to === undefined) return []
    return [`${JSON.stringify(name)}:${written(inner, numbers, { path: at, to } as Change, place)}`]
  })
  return `{${fields.join(',')}}`
}

/** Wrong values for a field, as JSON texts. */
function wrongValues(value: unknown, text: string): (string | undefined)[] {
  if (typeof value === 'number')
    return [String(value + 0.01), text.includes('.') ? String(value) : `${text}.00`, `"${text}"`]
  if (typeof value === 'boolean') return [String(!value)]
  if (value === null) return ['"x"', undefined]
  if (typeof value !== 'string') return []
  if (/^\d{4}-\d\d-/.test(value)) return ['"2020-01-01T00:00:00.000Z"', '"2030-01-01T00:00:00.000Z"', 'null']
  if (/^[a-z]+_[0-9A-Za-z]{8,}$/.test(value))
    return [JSON.stringify(`${value.slice(0, -4)}zzzz`), '"x"', undefined]
  return [JSON.stringify(`${value}x`), undefined]
}

function changesIn(json: unknown, text: string, request: number): Change[] {
  const numbers = numberTexts(text)
  const visit = (value: unknown, path: string): Change[] => {
    if (Array.isArray(value)) return value.flatMap((item, index) => visit(item, `${path}[${index}]`))
    if (isObject(value))
      return Object.entries(value).flatMap(([name, inner]) => visit(inner, path + member(name)))
    return wrongValues(value, numbers.get(path) ?? '').map((to) => ({ request, path, to }))
  }
  return visit(json, '$')
}

/** Starts the proxy in front of a second paysim; tests set `change` temporarily. */
async function proxied() {
  const target = await startOwn()
  const seen: string[] = []
  const state: { change: Change | undefined; count: number } = { change: undefined, count: 0 }
  const url = await served(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'x-api-key': key, 'content-type': type, authorization } = request.headers
    const headers = { 'x-api-key': key, 'content-type': type, authorization }
    const body = chunks.length === 0 ? undefined : Buffer.concat(chunks)
    const answer = await fetch(target.url + request.url, {
      method: request.method!,
      headers: JSON.parse(JSON.stringify(headers)),
      ...(body && { body }),
    })
    let text = await answer.text()
    const more: Record<string, string> = {}
    for (const name of ['content-type', 'location']) {
      const value = answer.headers.get(name)
      if (value !== null) more[name] = value
    }
    if (request.url!.startsWith('/v1/')) {
      state.count += 1
      seen[state.count] = text
      if (state.change?.request === state.count)
        text = written(JSON.parse(text), numberTexts(text), state.change)
    }
    response.writeHead(answer.status, more).end(text)
  })
  return { url, seen, state }
}

test('every changed field is reported, and nothing else', async () => {
  const { url, seen, state } = await proxied()
  const report = join(await folderOf({}), 'drift.json')
  const simulator = await startOwn()
  const compare = async (change: Change | undefined) => {
    state.change = change
    state.count = 0
    const { err } = await play(
      SCENARIO,
      { target: url, compare: true, reports: [`json=${report}`] },
      { startOwn: async () => ({ ...simulator, close: async () => {} }) },
    )
    expect(err).toBe('')
    const { files } = JSON.parse(await readFile(report, 'utf8'))
    return files[0].differences as { seenIn: string; path: string; sentence: string }[]
  }
  expect(await compare(undefined)).toEqual([])

  const last = state.count
  const changes: Change[] = []
  for (let request = last - READS.length + 1; request <= last; request += 1)
    changes.push(...changesIn(JSON.parse(seen[request]!), seen[request]!, request))
  const missed: unknown[] = []
  for (const change of changes) {
    const found = await compare(change)
    const place = `it.yaml step ${STEPS.length - last + change.request}`
    const isRight = found.length === 1 && found[0]!.path === change.path && found[0]!.seenIn === place
    if (!isRight) missed.push({ change, was: seen[change.request], found })
  }
  expect(missed).toEqual([])
  expect(changes.length).toBeGreaterThan(150)
})
