/** D24: lists are newest first, with an opaque cursor that stays valid while rows are added. */
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

/** The cursor hides a row's number in insertion order. */
export const Cursor = z
  .string()
  .transform((text, context) => {
    const seq = Number.parseInt(Buffer.from(text, 'base64url').toString('latin1'), 10)
    if (Number.isSafeInteger(seq) && seq > 0 && formatCursor(seq) === text) return seq
    context.addIssue({ code: 'custom', message: CURSOR_RULE })
    return z.NEVER
  })
  .describe('nextCursor of the previous page')

export const formatCursor = (seq: number) => Buffer.from(String(seq), 'latin1').toString('base64url')

export const pageParameters = { limit: Limit, cursor: Cursor.optional() }

/** A list without filters. */
export const pageQuery = z.object(pageParameters)

/** The fields of a page besides its rows. */
export const pageEnd = { hasMore: z.boolean(), nextCursor: z.string().nullable() }

export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), ...pageEnd })

export interface Page<Row> {
  data: Row[]
  hasMore: boolean
  /** Null on the last page. */
  nextCursor: string | null
}

/** A page of rows. One row more than its limit was read, which shows whether there are more. */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (last: Row, page: readonly Row[]) => string,
): Page<Row> {
  const data = found.slice(0, limit)
  const hasMore = found.length > limit
  return { data, hasMore, nextCursor: hasMore ? cursorOf(data.at(-1)!, data) : null }
}

/** The cursor if rows are identified by their ids. */
export const idOf = ({ id }: { id: string }) => id

export interface PageWindow<Cursor = string> {
  limit: number
  cursor?: Cursor | undefined
}

/**
 * A page of rows, oldest first. The first page has the latest rows; its cursor leads to earlier ones. `read` returns the rows of
 * a window; `cursorOf` makes the cursor for a row.
 */
export function latestPage<Row, Cursor = string>(
  { limit, cursor }: PageWindow<Cursor>,
  read: (window: PageWindow<Cursor>) => Row[],
  cursorOf: (row: Row) => string,
): Page<Row> {
  const page = cutPage(read({ limit: limit + 1, cursor }).toReversed(), limit, cursorOf)
  return { ...page, data: page.data.toReversed() }
}
