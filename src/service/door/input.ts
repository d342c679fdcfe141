/** §7, 400: checks a request before anything is looked up. A message names one problem (D9). */
import { isUtf8 } from 'node:buffer'
import type { z } from 'zod'
import { requirePlainBody } from '../../spec/body.ts'
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
import { isTooDeep } from '../../spec/contract/parsed-json.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Answering, Input } from '../operations/operation.ts'
import type { PlatformRequest } from './request.ts'

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
  if (!isUtf8(bytes)) throw malformedJson()
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformedJson()
  if (isTooDeep(value)) throw malformedJson()
  return value as JsonObject
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedJson()
  }
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
    query: operation.query ? parse(operation.query, firstValues(query), refusedParameter) : {},
  }
}

/** If a query parameter is sent twice, the first value counts. */
const firstValues = (query: string): JsonObject =>
  Object.fromEntries([...new URLSearchParams(query)].reverse())

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
  return Object.hasOwn(given, field) ? invalidField(field, message) : missingField(field)
}

const refusedParameter = ({ path, message }: z.core.$ZodIssue) => invalidParameter(String(path[0]), message)
