/** Finds the operation of a request. A profile may put the reads under other paths (D55), so each contract has its own router. */
import type { Operation } from '../operations/operation.ts'
import type { PlatformRequest, Route } from './request.ts'

export type Router = (request: Pick<PlatformRequest, 'method' | 'path'>) => Route | undefined

/** By the operations of a contract, which many sandboxes share. */
const routers = new WeakMap<readonly Operation[], Router>()

export function routerOf(operations: readonly Operation[]): Router {
  const known = routers.get(operations) ?? router(operations)
  routers.set(operations, known)
  return known
}

interface Row {
  operation: Operation
  segments: readonly Segment[]
}

interface Segment {
  text: string
  /** Of one in braces, which stands for anything. */
  name: string | undefined
}

const segmentOf = (text: string): Segment => ({
  text,
  name: text.startsWith('{') ? text.slice(1, -1) : undefined,
})

/** What stands for anything is tried last. */
const byNames = (one: Row, other: Row): number => {
  const at = one.segments.findIndex(({ name }, index) => !name !== !other.segments[index]?.name)
  return at === -1 ? 0 : one.segments[at]!.name ? 1 : -1
}

function router(operations: readonly Operation[]): Router {
  const rows = operations
    .map((operation) => ({ operation, segments: operation.path.split('/').map(segmentOf) }))
    .sort(byNames)

  return ({ method, path }) => {
    const given = path.split('/')
    const wanted = method === 'HEAD' ? 'GET' : method
    for (const row of rows) {
      if (row.operation.method !== wanted || !fits(row, given)) continue
      return { operation: row.operation, params: paramsOf(row, given), allowed: [] }
    }
    const allowed = methodsOf(rows.filter((row) => fits(row, given)))
    return allowed.length === 0 ? undefined : { operation: undefined, params: {}, allowed }
  }
}

/** For a 405 (D41). HEAD is answered where GET is. */
function methodsOf(rows: readonly Row[]): string[] {
  const methods = new Set(rows.map(({ operation }) => operation.method))
  return [...methods].sort().flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

function fits({ segments }: Row, given: readonly string[]): boolean {
  if (segments.length !== given.length) return false
  for (let at = 0; at < segments.length; at += 1) {
    const { text, name } = segments[at]!
    if (name === undefined ? given[at] !== text : given[at] === '') return false
  }
  return true
}

function paramsOf({ segments }: Row, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (let at = 0; at < segments.length; at += 1) {
    const { name } = segments[at]!
    if (name !== undefined) params[name] = decoded(given[at]!)
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
