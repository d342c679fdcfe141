/** The paths of operations, such as `/v1/refunds/{id}`. A name in braces matches any segment that is not empty. */

interface RowWithPath {
  readonly path: string
}

const isName = (segment: string) => segment.startsWith('{')

/** Finds the rows that a request's path matches, by segment from the left: a text comes before a name. */
export function pathFinder<Row extends RowWithPath>(rows: readonly Row[]): (path: string) => Row[] {
  const ordered = rows.map((row) => ({ row, segments: row.path.split('/') }))
  ordered.sort((one, other) => textsFirst(one.segments, other.segments))
  return (path) => {
    const given = path.split('/')
    return ordered.filter(({ segments }) => isMatch(segments, given)).map(({ row }) => row)
  }
}

function textsFirst(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((segment, index) => isName(segment) !== isName(other[index] ?? ''))
  return at === -1 ? 0 : Number(isName(one[at]!)) - Number(isName(other[at] ?? ''))
}

const isMatch = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (isName(segment) ? given[index] !== '' : segment === given[index]))

/** What stands in a path in place of the names: `{ id: 'ref_1' }`. */
export function valuesInPath(pattern: string, path: string): Record<string, string> {
  const given = path.split('/')
  const values: Record<string, string> = {}
  for (const [index, segment] of pattern.split('/').entries()) {
    if (isName(segment)) values[segment.slice(1, -1)] = given[index]!
  }
  return values
}
