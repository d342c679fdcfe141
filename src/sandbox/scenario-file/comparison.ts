/** Compares a request, or another trigger of a behavior, with what a behavior or a tester's expectation names. */
import { matchesCall, matchesOperation } from '../../spec/contract/endpoints.ts'
import { numberTexts } from '../../spec/contract/json-text.ts'
import { differences, type MatchDifference, matches } from './matcher.ts'

export interface ComparedRequest {
  /** Method and path. */
  readonly call?: string
  /** Undefined for a stub's path. */
  readonly op?: string | undefined
  readonly key?: string | undefined
  /** Null before the response, and without one. */
  readonly status?: number | null
  readonly header?: (name: string) => string | undefined
  readonly query?: URLSearchParams
  /** The body; a function, because few comparisons read it. */
  readonly json: () => unknown
  /** The body as sent, to show its numbers as they were written. */
  readonly bodyText?: () => string
}

/** What is expected; whatever is omitted matches every request. */
export interface Compared {
  readonly op?: string | undefined
  readonly call?: string | undefined
  readonly stub?: string | undefined
  readonly key?: unknown
  /** A class such as `4xx`, or a number or a matcher. */
  readonly status?: unknown
  readonly header?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly json?: unknown
}

/** Patterns are compiled once, because every request is compared. */
export function comparison(expected: Compared): (request: ComparedRequest) => MatchDifference[] {
  const { op, call, stub, key, status, json, header = {}, query = {} } = expected
  const isOp = op && matchesOperation(op)
  const isCall = call && matchesCall(call)
  const isStub = stub && matchesCall(stub)
  return (request) => [
    ...(isOp ? nameDifferences('op', op, request.op, isOp) : []),
    ...(isCall ? nameDifferences('call', call, request.call, isCall) : []),
    ...(isStub
      ? nameDifferences('call', stub, request.call, (name) => request.op === undefined && isStub(name))
      : []),
    ...(key === undefined ? [] : textDifferences('key', key, request.key)),
    ...(status === undefined ? [] : statusDifferences(status, request.status ?? null)),
    ...Object.entries(query).flatMap(([name, value]) =>
      textDifferences(`query.${name}`, value, request.query?.get(name) ?? undefined),
    ),
    ...Object.entries(header).flatMap(([name, value]) =>
      textDifferences(`header.${name}`, value, request.header?.(name.toLowerCase())),
    ),
    ...(json === undefined ? [] : bodyDifferences(json, request)),
  ]
}

const nameDifferences = (
  path: string,
  expected: string,
  received: string | undefined,
  isMeant: (name: string) => boolean,
): MatchDifference[] =>
  received !== undefined && isMeant(received) ? [] : [{ path, expected, received: received ?? 'none' }]

function bodyDifferences(expected: unknown, { json, bodyText }: ComparedRequest): MatchDifference[] {
  const body = json()
  const numbers = body === null || !bodyText ? undefined : numberTexts(bodyText())
  return differences(expected, body, { numbers })
}

/** The differences of a named part, such as the heading of a page. Nothing is expected of it if `expected` is undefined. */
export const partDifferences = (path: string, expected: unknown, received: unknown): MatchDifference[] =>
  expected === undefined ? [] : differences(expected, received).map((difference) => ({ ...difference, path }))

/** A query or a header is text, which is parsed to compare it with an expected number or boolean. */
export const textDifferences = (path: string, expected: unknown, given: string | undefined) =>
  readingsOf(given).some((value) => matches(expected, value)) ? [] : partDifferences(path, expected, given)

function readingsOf(given: string | undefined): unknown[] {
  if (given === 'true' || given === 'false') return [given, given === 'true']
  const number = given === undefined || given.trim() === '' ? Number.NaN : Number(given)
  return Number.isNaN(number) ? [given] : [given, number]
}

function statusDifferences(expected: unknown, status: number | null): MatchDifference[] {
  if (typeof expected !== 'string') return partDifferences('status', expected, status)
  const isOfClass = String(status).startsWith(expected[0]!)
  return isOfClass ? [] : [{ path: 'status', expected, received: String(status) }]
}

export const differenceSentence = ({ path, expected, received }: MatchDifference): string =>
  `${path} is ${received}, not ${expected}`
