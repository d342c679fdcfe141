/** Finds what a path stands for, whatever the method, so that a wrong method can be told from a wrong path (D41). */
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { Route } from '../gate/request.ts'
import type { Operation } from '../operations/operation.ts'

interface Endpoint {
  operations: Map<string, Operation>
  allowed: string[]
  /** What stands in the path's braces. */
  names: string[]
}

export function createRoutes(
  operations: readonly Operation[],
): (method: string, path: string) => Route | undefined {
  const endpoints = new Map<string, Map<string, Operation>>()
  for (const row of operations) {
    endpoints.set(row.path, (endpoints.get(row.path) ?? new Map()).set(row.method, row))
  }
  const router = new RegExpRouter<Endpoint>()
  for (const [path, rows] of endpoints) {
    const allowed = [...(rows.has('GET') ? ['GET', 'HEAD'] : []), ...(rows.has('POST') ? ['POST'] : [])]
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    router.add('ALL', path.replaceAll(/\{(\w+)\}/g, ':$1'), { operations: rows, allowed, names })
  }

  return (method, path) => {
    const [[found] = [], captured] = router.match('ALL', path)
    if (!found) return undefined
    const [{ operations, allowed, names }, places] = found
    const params: Record<string, string> = {}
    for (const name of names) params[name] = decoded(captured?.[places[name] as number] ?? '')
    return { operation: operations.get(method === 'HEAD' ? 'GET' : method), params, allowed }
  }
}

/** A percent sign that stands for nothing stands for itself: it is then part of an id that nobody has. */
function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
