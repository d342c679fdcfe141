/**
 * A contract test as data: the initial state, the request, the expected response and the expected effects. Effects that a case
 * does not list must not happen: no events, money, messages or pending work, and after a refusal no changed rows.
 */
import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { ENDPOINTS } from '../../src/spec/contract/endpoints.ts'
import { type EventType, type ResourceName, resourceName } from '../../src/spec/contract/event.ts'
import { ID_PREFIXES, type IdKind } from '../../src/spec/contract/ids.ts'
import { operationOf } from '../../src/spec/contract/translation.ts'
import { GIVEN, type Given, type Names, type Step } from './given.ts'
import { contract, isRemote, openPlatform, type Platform, type Received } from './platform.ts'

export interface Case {
  name: string
  given?: readonly Given[]
  call: string
  /** The body as a value, sent as JSON. */
  json?: unknown
  raw?: string | Uint8Array
  key?: string
  headers?: Record<string, string>
  status: number
  /** The expected fields of the response; other fields are ignored. A regular expression matches against the text. */
  body?: unknown
  /** Text that the response must contain. */
  text?: string
  answerHeaders?: Record<string, string | RegExp>
  /** Fields and headers that must be absent. */
  absent?: readonly string[]
  /** The expected events, in order. */
  events?: readonly string[]
  /** The expected money movements, messages and pending work. */
  writes?: readonly string[]
  /** Options of the simulator that differ from the usual ones. */
  options?: SimulatorOptions
}

export type { Names }

/** The common part of every refusal, written as its status and message: `404 Checkout not found`. */
export function refused(refusal: string): Pick<Case, 'status' | 'body' | 'absent'> {
  const status = Number.parseInt(refusal, 10)
  const body = { error: STATUS_CODES[status], message: refusal.slice(4) }
  return { status, body, absent: ['location', 'existingResourceId'] }
}

type RefusalRow = readonly [name: string, given: readonly Given[], refusal: string, json?: unknown]

export const refusals = (call: string, rows: readonly RefusalRow[]): Case[] =>
  rows.map(([name, given, refusal, json]) => ({ name, given, call, json, ...refused(refusal) }))

export const invalidBodies = (
  call: string,
  given: readonly Given[],
  rows: readonly (readonly [json: object, message: string])[],
): Case[] =>
  refusals(
    call,
    rows.map(([json, message]) => [`${JSON.stringify(json)}: ${message}`, given, `400 ${message}`, json]),
  )

/** The expected items of a list for each filter; a resource is given as its id or some of its fields. */
export const filtered = (
  call: string,
  given: readonly Given[],
  rows: readonly (readonly [query: string, data: readonly (string | object)[]])[],
): Case[] =>
  rows.map(([query, data]) => ({
    name: `filters by ${query}`,
    given,
    call: `${call}${query}`,
    status: 200,
    body: {
      data: data.map((item) => (typeof item === 'string' ? { id: item } : item)),
      hasMore: false,
      nextCursor: null,
    },
  }))

export function play(cases: readonly Case[]): void {
  for (const sample of cases) test.skipIf(isRemote && needsTester(sample))(sample.name, () => playOne(sample))
}

/** Without the tester's side a case cannot know the expected timestamps. */
const needsTester = (sample: Case) =>
  sample.options !== undefined ||
  (sample.given ?? []).some((name) => !('call' in GIVEN[name])) ||
  /\{(start|now)\}/.test(JSON.stringify(sample))

export async function playOne(sample: Case): Promise<void> {
  const platform = openPlatform(sample.options)
  const names = await prepare(platform, sample.given)
  const before = isRemote ? undefined : standing(platform)

  const received = await platform.send(request(sample, names))
  expectAnswer(sample, names, received)

  if (!before) return
  const after = standing(platform)
  expect(after.events.slice(before.events.length)).toEqual(sample.events ?? [])
  expect(added(after.writes, before.writes).sort()).toEqual([...(sample.writes ?? [])].sort())
  if (received.status >= 400 || sample.call.startsWith('GET')) expect(after.rows).toEqual(before.rows)
}

const standing = ({ tester }: Platform) => ({
  events: tester.events(),
  writes: tester.writes(),
  rows: tester.rows(),
})

/** The items of the first list that are missing from the second; duplicates count separately. */
function added(after: readonly string[], before: readonly string[]): string[] {
  const rest = [...before]
  return after.filter((header) => {
    const index = rest.indexOf(header)
    if (index === -1) return true
    rest.splice(index, 1)
    return false
  })
}

/** Runs the steps that create a case's initial state; returns the names of the created resources. */
export async function prepare(platform: Platform, given: readonly Given[] = []): Promise<Names> {
  const { run } = platform
  const names: Names = isRemote ? { run } : { run, start: platform.tester.now }
  for (const name of given) await proceed(platform, names, name)
  if (!isRemote) names.now = platform.tester.now
  return names
}

/** Runs one more step, and adds the created resources to the names. */
export const proceed = (platform: Platform, names: Names, name: Given): Promise<void> =>
  take(platform, names, name, GIVEN[name])

async function take(platform: Platform, names: Names, name: string, step: Step): Promise<void> {
  if ('advanceMs' in step) return platform.tester.advance(step.advanceMs)
  let shown: unknown
  if ('act' in step) shown = step.act(platform.tester.control, names)
  else {
    const received = await platform.send(request(step, names))
    expect(received.status, `${name}: ${received.text}`).toBeLessThan(300)
    shown = received.body
  }
  for (const [kept, field] of Object.entries(step.keep ?? {})) {
    names[kept] = (shown as Record<string, string>)[field]!
  }
}

type Request = Pick<Case, 'call' | 'json' | 'raw' | 'key' | 'headers'>

export function request({ call, json, raw, key, headers }: Request, names: Names) {
  const body = typeof raw === 'string' ? filled(raw, names) : (raw ?? asJson(json, names))
  return {
    call: filled(call, names),
    headers: { ...(key !== undefined && { 'idempotency-key': key }), ...headers },
    ...(body !== undefined && { body }),
  }
}

const asJson = (json: unknown, names: Names) =>
  json === undefined ? undefined : JSON.stringify(filled(json, names))

export function expectAnswer(sample: Case, names: Names, { status, headers, text, body }: Received): void {
  expect({ status, body }).toMatchObject({
    status: sample.status,
    ...(sample.body !== undefined && { body: filled(shown(sample.body, kindAsked(sample.call)), names) }),
  })
  if (sample.text !== undefined) expect(text).toContain(filled(sample.text, names))
  for (const [name, value] of Object.entries(sample.answerHeaders ?? {})) {
    const isLeftOut = name === 'location' && !contract.profile.answers.location
    expect(headers.get(name), name).toEqual(isLeftOut ? null : filled(value, names))
  }
  for (const name of sample.absent ?? []) {
    expect(headers.get(name), `header ${name}`).toBeNull()
    expect(body ?? {}).not.toHaveProperty(name)
  }
  if (sample.answerHeaders?.['idempotent-replayed'] === undefined) {
    expect(headers.get('idempotent-replayed')).toBeNull()
  }
}

type Kind = ResourceName | 'event'

/** The expected fields of a resource, without the fields that the profile omits. */
export function shown(value: unknown, kind: Kind | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => shown(item, kind))
  if (typeof value !== 'object' || value === null || value instanceof RegExp || !kind) return value
  const { data, ...rest } = value as { data?: unknown; type?: EventType }
  const leftOut: readonly string[] = contract.profile.answers.leaveOut[kind]
  const isEvent = kind === 'event' && !Array.isArray(data)
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([field]) => !leftOut.includes(field))),
    ...(data !== undefined && { data: shown(data, isEvent ? rest.type && resourceName(rest.type) : kind) }),
  }
}

const kindAsked = (call: string): Kind | undefined => {
  const [method = '', target = ''] = call.split(' ')
  const operation = operationOf({ method, target })
  return operation && ENDPOINTS[operation].what
}

/** Gives an id in a pattern the prefix and the length of the profile. */
const withIds = ({ source }: RegExp): RegExp => {
  const { idPrefixes, profile } = contract
  const ids = Object.entries(ID_PREFIXES) as [IdKind, string][]
  return new RegExp(
    ids.reduce(
      (text, [kind, prefix]) =>
        text
          .replace(`${prefix}[0-9A-Za-z]{24}`, `${idPrefixes[kind]}[0-9A-Za-z]{${profile.ids.length}}`)
          .replace(`^${prefix}`, `^${idPrefixes[kind]}`),
      source,
    ),
  )
}

/** Fills in the placeholders of a value; a regular expression becomes an asymmetric matcher. */
export function filled<Value>(value: Value, names: Names): Value {
  if (typeof value === 'string')
    return value.replaceAll(/\{(\w+)\}/g, (_, name) => named(name, names)) as Value
  if (value instanceof RegExp) return expect.stringMatching(withIds(value))
  if (Array.isArray(value)) return value.map((item) => filled(item, names)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, filled(inner, names)]),
  ) as Value
}

function named(name: string, names: Names): string {
  const value = names[name]
  if (value === undefined) throw new Error(`nothing that was given is called {${name}}`)
  return value
}
