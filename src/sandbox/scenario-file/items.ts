/** The items of an `each`: a range such as `1..20`, or a list. */

const RANGE = /^(\d{1,9})\.\.(\d{1,9})$/
const MAX_ITEMS = 1_000

export const EACH_RULE = `must be a range such as 1..20 or a list, of 1 to ${MAX_ITEMS} items`

/** Undefined for a value that is no range and no list, or that is too long. */
export function itemsOf(each: unknown): unknown[] | undefined {
  if (Array.isArray(each)) return each.length > 0 && each.length <= MAX_ITEMS ? each : undefined
  const [, from, to] = RANGE.exec(String(each)) ?? []
  const count = Number(to) - Number(from) + 1
  if (!(count >= 1 && count <= MAX_ITEMS)) return undefined
  return Array.from({ length: count }, (_, index) => Number(from) + index)
}
