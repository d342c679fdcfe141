/** Writes what is on the wire's side already, with the one thing that JSON cannot keep: D10's two decimals. */
import { z } from 'zod'
import { formatMoney, Money } from '../contract/money.ts'

export function writeControlAnswer(schema: z.ZodType, value: unknown): string {
  if (value === null) return 'null'
  if (schema === Money) return formatMoney(Money.decode(value as number))
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return writeControlAnswer(schema.unwrap() as z.ZodType, value)
  if (schema instanceof z.ZodCodec) return writeControlAnswer(schema.def.in as z.ZodType, value)
  if (schema instanceof z.ZodUnion) {
    const meant = (schema.options as z.ZodType[]).find((option) => option.safeParse(value).success)
    return meant ? writeControlAnswer(meant, value) : JSON.stringify(value)
  }
  if (schema instanceof z.ZodArray)
    return `[${(value as unknown[]).map((item) => writeControlAnswer(schema.element as z.ZodType, item)).join(',')}]`
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
      .map(([name, field]) => [name, field, (value as Record<string, unknown>)[name]] as const)
      .filter(([, , inner]) => inner !== undefined)
    return `{${fields.map(([name, field, inner]) => `${JSON.stringify(name)}:${writeControlAnswer(field, inner)}`).join(',')}}`
  }
  return JSON.stringify(value)
}
