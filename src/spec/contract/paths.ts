/** The paths of operations, such as `/v1/refunds/{id}`. A name in braces matches any segment that is not empty. */

interface Endpoint {
  readonly method: string
  readonly path: string
}

export interface Route<Row> {
  /** Undefined where the path has none for the method (405). */
  row: Row | undefined
  /** The segments in place of the names in braces: `{ id: 'ref_1' }`. */
  params: Readonly<Record<string, string>>
  /** The methods of the path, for the Allow header of a 405 (D41); empty otherwise. */
  allowed: readonly string[]
}

const isName = (segment: string) => segment.startsWith('{')

/** Finds the row of a request, by segment from the left: a text comes before a name. Undefined where no row has the path. */
export function router<Row extends Endpoint>(
  rows: readonly Row[],
): (method: string, path: string) => Route<Row> | undefined {
  const ordered = rows.map((row) => ({ row, segments: row.path.split('/') }))
  ordered.sort((one, other) => textsFirst(one.segments, other.segments))
  return (method, path) => {
    const given = path.split('/')
    const found = ordered.filter(({ segments }) => isMatch(segments, given))
    if (found.length === 0) return undefined
    const wanted = methodOfRow(method)
    const match = found.find(({ row }) => row.method === wanted)
    if (match) return { row: match.row, params: paramsOf(match.row.path, path), allowed: [] }
    const methods = [...new Set(found.map(({ row }) => row.method))].sort()
    const allowed = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    return { row: undefined, params: {}, allowed }
  }
}

/** HEAD is a GET whose answer has no body (RFC 9110, 9.3.2). */
export const methodOfRow = (method: string): string => (method === 'HEAD' ? 'GET' : method)

function textsFirst(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((segment, index) => isName(segment) !== isName(other[index] ?? ''))
  return at === -1 ? 0 : Number(isName(one[at]!)) - Number(isName(other[at] ?? ''))
}

const isMatch = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (isName(segment) ? given[index] !== '' : segment === given[index]))

/** The decoded segments in place of the names in braces: `{ id: 'ref_1' }`. */
export const paramsOf = (pattern: string, path: string) => valuesInPath(pattern, path, decoded)

/** The same without decoding `%`, unless `read` is given. */
export function valuesInPath(pattern: string, path: string, read = (segment: string) => segment) {
  const given = path.split('/')
  const values: Record<string, string> = {}
  pattern.split('/').forEach((segment, index) => {
    if (isName(segment)) values[segment.slice(1, -1)] = read(given[index]!)
  })
  return values
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
