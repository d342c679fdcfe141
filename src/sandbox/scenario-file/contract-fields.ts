/** The names of all fields that the service has, in bodies, answers and events. */
import { z } from 'zod'
import { OPERATIONS } from '../../service/operations/table.ts'
import { ErrorBody } from '../../spec/contract/errors.ts'
import { Event } from '../../spec/contract/event.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'

let names: ReadonlySet<string> | undefined

/** Collected at the first call, because that takes some milliseconds. */
export function contractFields(): ReadonlySet<string> {
  if (names) return names
  const schemas = OPERATIONS.flatMap(({ body, answer }) => (body ? [body, answer] : [answer]))
  names = new Set(
    [...schemas, Event, ErrorBody].flatMap((schema) => namesIn(z.toJSONSchema(schema, { io: 'input' }))),
  )
  return names
}

const namesIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: unknown }
  return [...(isObject(properties) ? Object.keys(properties) : []), ...Object.values(schema).flatMap(namesIn)]
}
