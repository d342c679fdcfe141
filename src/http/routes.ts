/** Finds what a path stands for, whatever the method, so that a wrong method can be told from a wrong path (D41). */
import { TrieRouter } from 'hono/router/trie-router'
import type { Route } from '../gate/request.ts'
import type { Operation } from '../operations/operation.ts'

type Methods = Map<string, Operation>

export function createRoutes(
  operations: readonly Operation[],
): (method: string, path: string) => Route | undefined {
  const paths = new Map<string, Methods>()
  for (const operation of operations) {
    const methods = paths.get(operation.path) ?? new Map()
    paths.set(operation.path, methods.set(operation.method, operation))
  }
  const router = new TrieRouter<Methods>()
  for (const [path, methods] of paths) router.add('ALL', path.replaceAll(/\{(\w+)\}/g, ':$1'), methods)

  return (method, path) => {
    const [[found] = []] = router.match('ALL', path)
    if (!found) return undefined
    const [methods, params] = found as [Methods, Record<string, string>]
    const read = method === 'HEAD' ? 'GET' : method
    const allowed = [...(methods.has('GET') ? ['GET', 'HEAD'] : []), ...(methods.has('POST') ? ['POST'] : [])]
    return { operation: methods.get(read), params: decoded(params), allowed }
  }
}

/** A percent sign that stands for nothing stands for itself: it is then part of an id that nobody has. */
function decoded(params: Record<string, string>): Record<string, string> {
  for (const [name, text] of Object.entries(params)) {
    if (text.includes('%')) params[name] = decode(text)
  }
  return params
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
