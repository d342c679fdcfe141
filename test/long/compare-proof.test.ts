/**
 * A proxy in front of a second paysim changes each field of each resource, in each way that it can be wrong, a few of them in one
 * run. Each change is reported at its step and field, and nothing else is reported.
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

/** The replacement of each changed value, by path. */
type Replaced = ReadonlyMap<string, string | undefined>

/** Serializes JSON with these values changed and the text of every other number preserved. */
function written(value: unknown, numbers: NumberTexts, replaced: Replaced, path = '$'): string {
  const to = replaced.get(path)
  if (to !== undefined) return to
  if (Array.isArray(value))
    return `[${value.map((item, index) => written(item, numbers, replaced, `${path}[${index}]`)).join(',')}]`
  if (!isObject(value)) return numbers.get(path) ?? JSON.stringify(value)
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    const place = path + member(name)
    if (replaced.has(place) && replaced.get(place) === undefined) return []
    return [`${JSON.stringify(name)}:${written(inner, numbers, replaced, place)}`]
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

/** Starts the proxy in front of a second paysim. */
async function proxied() {
  const target = await startOwn()
  const seen: string[] = []
  const state: { changes: readonly Change[]; count: number } = { changes: [], count: 0 }
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
      const changes = state.changes.filter(({ request }) => request === state.count)
      const replaced = new Map(changes.map(({ path, to }) => [path, to]))
      if (replaced.size > 0) text = written(JSON.parse(text), numberTexts(text), replaced)
    }
    response.writeHead(answer.status, more).end(text)
  })
  return { url, seen, state }
}

test('every changed field is reported, and nothing else', async () => {
  const { url, seen, state } = await proxied()
  const report = join(await folderOf({}), 'drift.json')
  const simulator = await startOwn()
  const compare = async (changes: readonly Change[]) => {
    state.changes = changes
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
  expect(await compare([])).toEqual([])

  const last = state.count
  const changes: Change[] = []
  for (let request = last - READS.length + 1; request <= last; request += 1)
    changes.push(...changesIn(JSON.parse(seen[request]!), seen[request]!, request))
  expect(changes.length).toBeGreaterThan(150)
  // The comparison pairs the clocks of both sides by all times, so each run changes only one.
  const isTime = ({ path }: Change) => /(At|timestamp)$/.test(path)
  const [times, others] = [changes.filter(isTime), changes.filter((change) => !isTime(change))]
  for (const [run, time] of times.entries()) {
    const made = [time, ...others.filter((_, at) => at % times.length === run)]
    const expected = made.map(({ request, path }) => [`it.yaml step ${STEPS.length - last + request}`, path])
    const found = (await compare(made)).map(({ seenIn, path }) => [seenIn, path])
    expect(found.toSorted(), JSON.stringify(made)).toEqual(expected.toSorted())
  }
})
