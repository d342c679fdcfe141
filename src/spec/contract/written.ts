/** The types of what code writes by hand. */
import type { z } from 'zod'
import type { DurationText } from './duration.ts'

/**
 * What a schema takes, with milliseconds too where a file writes a duration. An editor shows no comment of a type that is
 * made from a schema. So the build writes such a type out, each property under the description of its schema.
 */
export type Written<Schema extends z.ZodType> = WithMs<z.input<Schema>>

/** A schema of the same values under a narrower type, such as that of a pattern of texts. */
export const typedAs = <Value>(schema: z.ZodType): z.ZodType<Value, Value> =>
  schema as z.ZodType<Value, Value>

type WithMs<Value> = Value extends DurationText
  ? Value | number
  : Value extends object
    ? { [Name in keyof Value]: WithMs<Value[Name]> }
    : Value
