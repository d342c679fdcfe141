/**
 * Keeps what V8 has compiled for the next start, which then takes a fifth less CPU. Node does so itself from 22.1 on. For Node 20
 * this compiles the files of the command, which are CommonJS because a module of ES could be compiled from a cache only under
 * a flag of Node.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** The types are those of Node 20, which has neither; the second came with 22.10. */
interface NodesOwn {
  enableCompileCache?(): unknown
  flushCompileCache?(): void
}

/** A process that is killed writes nothing when it ends. Until then it has been asked what it is asked in general. */
const WRITTEN_AFTER_MS = 3_000

/** `use` is what the process does: the functions that it has called are kept compiled, and no others. */
export function keepCompiled(use: string): void {
  const node = module as NodesOwn
  if (!node.enableCompileCache) new CompileCache(use).keep()
  else {
    node.enableCompileCache()
    setTimeout(() => node.flushCompileCache?.(), WRITTEN_AFTER_MS).unref()
  }
}

interface CommonJs {
  exports: object
  require(id: string): unknown
}

/** Of Node's CommonJS: turns the text of a file into its exports. Loaders such as tsx replace it too. */
interface Compiler {
  _compile(this: CommonJs, text: string, file: string): unknown
}

/** Its name holds a hash of its text, so that what was compiled of another version is never taken for it. */
const HASHED = /-[\w-]{8}\.cjs$/

class CompileCache {
  readonly #folder: string
  readonly #compiled = new Map<string, Script>()

  constructor(use: string) {
    const root = process.env.NODE_COMPILE_CACHE || join(tmpdir(), `paysim-compile-cache-${userId()}`)
    this.#folder = join(root, `${process.version}-${process.arch}`, use)
  }

  keep(): void {
    if (process.env.NODE_DISABLE_COMPILE_CACHE || !this.#isOwn()) return
    const { prototype } = module as unknown as { prototype: Compiler }
    const { _compile } = prototype
    const compile = (text: string, file: string) => this.#compile(text, file)
    prototype._compile = function (text, file) {
      if (!HASHED.test(file)) return _compile.call(this, text, file)
      const require = (id: string) => this.require(id)
      return compile(text, file).call(this.exports, this.exports, require, this, file, dirname(file))
    }
    const write = () => this.#write()
    process.once('exit', write)
    setTimeout(write, WRITTEN_AFTER_MS).unref()
  }

  /** What another user of this machine could put there would be run as ours. */
  #isOwn(): boolean {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const { uid, mode } = statSync(this.#folder)
      return uid === userId() && (mode & 0o022) === 0
    } catch {
      return false
    }
  }

  #compile(text: string, file: string) {
    const script = new Script(module.wrap(text), { filename: file, cachedData: this.#read(file) })
    // Node's V8 refuses what another V8, or one under other flags, has compiled.
    if (script.cachedDataRejected !== false) this.#compiled.set(file, script)
    return script.runInThisContext()
  }

  #read(file: string): Buffer | undefined {
    try {
      return readFileSync(this.#fileFor(file))
    } catch {
      return undefined
    }
  }

  #write(): void {
    for (const [file, script] of this.#compiled) {
      this.#compiled.delete(file)
      const unfinished = `${this.#fileFor(file)}.${process.pid}`
      try {
        writeFileSync(unfinished, script.createCachedData())
        renameSync(unfinished, this.#fileFor(file))
      } catch {
        // A full or read-only disk is no reason to fail: the next start compiles again.
        return
      }
    }
  }

  #fileFor = (file: string) => join(this.#folder, basename(file))
}

const userId = () => process.getuid?.() ?? 0
