/** Keeps what V8 has compiled for the next start, with Node's compile cache where the Node has one (22.1). */
import module from 'node:module'

/**
 * Declared here, as the types are those of Node 20, which has neither method. `flushCompileCache` came with
 * 22.10.
 */
interface CompileCache {
  enableCompileCache?(): unknown
  flushCompileCache?(): void
}

/** A killed process does not write its cache when it ends, so it is written earlier: after the usual first requests. */
const WRITTEN_AFTER_MS = 3_000

export function keepCompiled(): void {
  const node = module as CompileCache
  if (!node.enableCompileCache) return
  node.enableCompileCache()
  setTimeout(() => node.flushCompileCache?.(), WRITTEN_AFTER_MS).unref()
}
