/**
 * Finds the operation of a request under a contract that is not the defaults': its operations are others, and a profile may
 * put the reads under other paths (D55). Under the defaults the app's own routes have found it already.
 */
import type { Operation } from '../operations/operation.ts'
import type { PlatformRequest, Route } from './request.ts'

interface Row {
  operation: Operation
  segments: readonly string[]
}

const isName = (segment: string) => segment.startsWith('{')

/** What stands in braces matches anything, so it is tried last. */
const byNames = (one: Row, other: Row): number => {
  const at = one.segments.findIndex(
    (segment, index) => isName(segment) !== isName(other.segments[index] ?? ''),
  )
  return at === -1 ? 0 : Number(isName(one.segments[at]!)) - Number(isName(other.segments[at] ?? ''))
}

export function router(operations: readonly Operation[]): (request: PlatformRequest) => Route | undefined {
  const rows = operations
    .map((operation) => ({ operation, segments: operation.path.split('/') }))
    .sort(byNames)

  return ({ method, path }) => {
    const segments = path.split('/')
    const found = rows.filter((row) => fits(row, segments))
    const [first] = found
    if (!first) return undefined
    const wanted = method === 'HEAD' ? 'GET' : method
    const row = found.find(({ operation }) => operation.method === wanted)
    const methods = new Set(found.map(({ operation }) => operation.method))
    const allowed = [...methods].sort().flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    if (!row) return { operation: undefined, params: {}, allowed }
    return { operation: row.operation, params: paramsOf(row, segments), allowed: [] }
  }
}

const fits = ({ segments }: Row, given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (isName(segment) ? given[index] !== '' : segment === given[index]))

function paramsOf({ segments }: Row, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    if (isName(segment)) params[segment.slice(1, -1)] = decoded(given[index]!)
  }
  return params
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
