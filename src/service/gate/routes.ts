/**
 * Finds the operation of a request, or the methods that its path has (D41). Where all is as under the defaults, the app's own
 * routes have found the operation already; a profile may put the reads under other paths (D55).
 */
import { pathFinder, valuesInPath } from '../../spec/contract/paths.ts'
import type { Operation } from '../operations/operation.ts'
import type { PlatformRequest, Route } from './request.ts'

export function router(
  operations: readonly Operation[],
): (request: Pick<PlatformRequest, 'method' | 'path'>) => Route | undefined {
  const operationsAt = pathFinder(operations)
  return ({ method, path }) => {
    const found = operationsAt(path)
    if (found.length === 0) return undefined
    const wanted = method === 'HEAD' ? 'GET' : method
    const operation = found.find((one) => one.method === wanted)
    if (operation) return { operation, params: paramsOf(operation.path, path), allowed: [] }
    const methods = new Set(found.map((one) => one.method))
    const allowed = [...methods].sort().flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    return { operation: undefined, params: {}, allowed }
  }
}

/** What stands in a request's path in place of the names. */
export const paramsOf = (pattern: string, path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(valuesInPath(pattern, path)).map(([name, segment]) => [name, decodedSegment(segment)]),
  )

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
