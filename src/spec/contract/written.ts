/** The types of what code writes by hand. */
import type { z } from 'zod'
import type { DurationText } from './duration.ts'

/**
 * What a schema takes, with milliseconds too where a file writes a duration. An editor shows no comment of a type that is
 * made from a schema. So the build writes such a type out, each property under the description of its schema.
 */
export type Written<Schema extends z.ZodType> = WithMs<z.input<Schema>>

type WithMs<Value> = Value extends DurationText
  ? Value | number
  : Value extends object
    ? { [Name in keyof Value]: WithMs<Value[Name]> }
    : Value
