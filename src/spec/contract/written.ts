/** The types for values written by hand in code. */
import type { z } from 'zod'
import type { DurationText } from './duration.ts'

/**
 * The input type of a schema, also with milliseconds for durations. Editors show no comments for a type inferred from a schema,
 * so the build writes such a type out, with each property's description.
 */
export type Written<Schema extends z.ZodType> = WithMs<z.input<Schema>>

type WithMs<Value> = Value extends DurationText
  ? Value | number
  : Value extends object
    ? { [Name in keyof Value]: WithMs<Value[Name]> }
    : Value
