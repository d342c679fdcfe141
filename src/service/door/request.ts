/**
 * A platform's request and response, independent of HTTP libraries, and the checks made before any lookup (§7, 400). A message
 * names one problem (D9).
 */

import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import type { z } from 'zod'
import { requirePlainBody } from '../../spec/body.ts'
import type { ConnectionFaultKind, SlowFault } from '../../spec/contract/connection-fault.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import {
  bodyTooLarge,
  invalidField,
  invalidParameter,
  malformedJson,
  missingField,
  unknownField,
  wrongMediaType,
} from '../../spec/contract/errors.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Answering, Input } from '../operations/operation.ts'

export interface PlatformRequest {
  method: string
  /** Path and query, as sent. */
  target: string
  /** The path that is routed. */
  path: string
  /** With its question mark; empty without a query. */
  query: string
  apiKey: string | undefined
  ip: string
  /** Every Idempotency-Key header that was sent. */
  idempotencyKeys: readonly string[]
  /** `too large` for a body of more bytes than §3 allows. */
  body: Buffer | 'too large'
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** The address that the platform used, such as http://127.0.0.1:4100. */
  origin: string
  /** The socket; undefined for a request by `simulator.fetch`. */
  connection: { readonly destroyed: boolean } | undefined
}

export interface Answer {
  /** {@link NO_STATUS} if a fault breaks the connection before the operation. */
  status: number
  headers: Record<string, string>
  body: string
  /** How the connection fails while the response is sent. */
  fault?: ConnectionFault
}

export const NO_STATUS = 0

export type ConnectionFault =
  | { kind: Exclude<ConnectionFaultKind, SlowFault> }
  | { kind: SlowFault; durationMs: number }

/** Removes the prefix that a dual-stack socket puts before IPv4 addresses. */
export const plainIp = (address: string): string =>
  address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address

/** The same request with the IP that §8 counts behind a trusted proxy: the first of X-Forwarded-For (D47). */
export function fromProxy(request: PlatformRequest): PlatformRequest {
  const ip = ipIn(request.header('x-forwarded-for')?.split(',', 1)[0])
  return ip === undefined ? request : { ...request, ip: plainIp(ip) }
}

/**
 * An address of X-Forwarded-For without the port that some proxies add. Undefined for a text that is not an IP: a proxy that
 * appends to the list keeps the client's own text.
 */
export function ipIn(entry = ''): string | undefined {
  const text = entry.trim()
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  const address = v6 ?? v4 ?? text
  return isIP(address) ? address : undefined
}

/** D16: a body must have the type application/json, unless the profile is lenient; without a body no type is needed. */
export function requireReadable(
  { method, body, header }: PlatformRequest,
  mediaTypes: 'strict' | 'lenient',
): void {
  if (!writes(method)) return
  if (body === 'too large') throw bodyTooLarge()
  if (body.length > 0) requirePlainBody(header('content-encoding'))
  if (mediaTypes === 'strict' && body.length > 0 && mediaType(header('content-type')) !== 'application/json')
    throw wrongMediaType()
}

const mediaType = (contentType: string | undefined) => contentType?.replace(/;.*/s, '').trim().toLowerCase()

/** A body is a JSON object; no body counts as an empty object (D17). */
export function parseBody(bytes: Buffer, text: string): JsonObject {
  if (bytes.length === 0) return {}
  const value = isUtf8(bytes) ? parsedJson(text) : undefined
  if (!isObject(value)) throw malformedJson()
  return value
}

export function parseInput(
  operation: Answering,
  params: Readonly<Record<string, string>>,
  body: JsonObject,
  query: string,
): Input {
  return {
    params,
    body: operation.body ? parse(operation.body, body, refusedField) : body,
    query: operation.query ? parse(operation.query, firstValues(query, operation), refusedParameter) : {},
  }
}

/** If a query parameter is sent twice, the first value counts. Those of a map, such as `metadata[key]`, are one. */
function firstValues(query: string, { reads, maps }: Answering): JsonObject {
  const sent = [...new URLSearchParams(query)].reverse()
  const parameters = reads ? sent.map(reads.parameter) : sent
  const values: [string, unknown][] = [...parameters]
  for (const map of maps) {
    const inside = sent.flatMap(([name, value]) => {
      const [, base = '', key] = /^([^[]*)\[(.*)\]$/s.exec(name) ?? []
      const ours = reads ? reads.parameter([base, value])[0] : base
      return key !== undefined && ours === map ? [[key, value]] : []
    })
    if (inside.length > 0) values.push([map, Object.fromEntries(inside)])
  }
  return Object.fromEntries(values)
}

function parse(
  schema: z.ZodType,
  given: JsonObject,
  refusal: (issue: z.core.$ZodIssue, given: JsonObject) => Error,
): unknown {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  throw refusal(result.error.issues[0]!, given)
}

function refusedField(issue: z.core.$ZodIssue, given: JsonObject): Error {
  if (issue.code === 'unrecognized_keys') return unknownField(issue.keys[0]!)
  const { path, message } = issue
  const field = String(path[0])
  const named: string[] | undefined = issue.code === 'custom' ? issue.params?.fields : undefined
  return Object.hasOwn(given, field) ? invalidField(field, message, named) : missingField(field, named)
}

const refusedParameter = ({ path, message }: z.core.$ZodIssue) => invalidParameter(String(path[0]), message)
