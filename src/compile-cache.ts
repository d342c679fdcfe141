/** Keeps what V8 has compiled for the next start, with Node's compile cache where the Node has one (22.1). */
import module from 'node:module'

/** The types are those of Node 20, which has neither; the second came with 22.10. */
interface CompileCache {
  enableCompileCache?(): unknown
  flushCompileCache?(): void
}

/** A process that is killed writes nothing when it ends. Until then it has been asked what it is asked in general. */
const WRITTEN_AFTER_MS = 3_000

export function keepCompiled(): void {
  const node = module as CompileCache
  if (!node.enableCompileCache) return
  node.enableCompileCache()
  setTimeout(() => node.flushCompileCache?.(), WRITTEN_AFTER_MS).unref()
}
