/** D24: lists are newest first, with an opaque cursor, and stay in seq while rows are added. */
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

export const CURSOR_RULE = 'must be the nextCursor of an earlier page'

/** The cursor hides a row's place in insertion order; inside it is that number. */
export const Cursor = z
  .string()
  .transform((text, context) => {
    const seq = Number.parseInt(Buffer.from(text, 'base64url').toString('latin1'), 10)
    if (Number.isSafeInteger(seq) && seq > 0 && formatCursor(seq) === text) return seq
    context.addIssue({ code: 'custom', message: CURSOR_RULE })
    return z.NEVER
  })
  .meta({ description: 'nextCursor of the previous page' })

export const formatCursor = (seq: number) => Buffer.from(String(seq), 'latin1').toString('base64url')

export const pageParameters = { limit: Limit, cursor: Cursor.optional() }

/** A list with no filter of its own. */
export const pageQuery = z.object(pageParameters)

/** places.ts knows the schema of a page by this field. */
export const HasMore = z.boolean()

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), hasMore: HasMore, nextCursor: z.string().nullable() })

export interface PageWindow<Cursor = string> {
  limit: number
  cursor?: Cursor | undefined
}

/**
 * A page of rows, oldest first. The first page has the latest rows; its cursor leads to earlier ones. `read`
 * gives the rows of a window; `cursorOf` makes the cursor that names a row.
 */
export function latestPage<Row, Cursor = string>(
  { limit, cursor }: PageWindow<Cursor>,
  read: (window: PageWindow<Cursor>) => Row[],
  cursorOf: (row: Row) => string,
) {
  const found = read({ limit: limit + 1, cursor })
  const data = found.slice(-limit)
  const hasMore = found.length > limit
  return { data, hasMore, nextCursor: hasMore ? cursorOf(data[0]!) : null }
}
