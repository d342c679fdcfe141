/** D24: lists are newest first, with an opaque cursor, and stay in place while rows are added. */
import { z } from 'zod'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS } from './limits.ts'

export function limitOf(usual: number, max: number) {
  const rule = `must be a whole number from 1 to ${max}`
  return z
    .string()
    .regex(/^\d{1,4}$/, rule)
    .transform(Number)
    .refine((rows) => rows >= 1 && rows <= max, rule)
    .default(usual)
    .meta({ type: 'integer', minimum: 1, maximum: max, default: usual })
}

export const Limit = limitOf(PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS)

/** The cursor hides a row's place in insertion order; inside it is that number. */
export const Cursor = z
  .string()
  .transform((text, context) => {
    const place = Number.parseInt(Buffer.from(text, 'base64url').toString('latin1'), 10)
    if (Number.isSafeInteger(place) && place > 0 && formatCursor(place) === text) return place
    context.addIssue({ code: 'custom', message: 'must be the nextCursor of an earlier page' })
    return z.NEVER
  })
  .meta({ description: 'nextCursor of the previous page' })

export const formatCursor = (place: number) => Buffer.from(String(place), 'latin1').toString('base64url')

export const pageParameters = { limit: Limit, cursor: Cursor.optional() }

/** A list with no filter of its own. */
export const pageQuery = z.object(pageParameters)

/** A schema with this field is a page of a list: places.ts knows it by it. */
export const HasMore = z.boolean()

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), hasMore: HasMore, nextCursor: z.string().nullable() })
