/**
 * Remembers facts about kept sandboxes, so that a start need not open their databases: a line of JSON for
 * each, added when its database is closed. A line is valid while the database's file is unchanged. Without a
 * valid line the start opens the database, so this file may be old, cut off or missing.
 */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { jsonIn } from '../../spec/contract/parsed-json.ts'
import { DATABASE, databaseFile, UNFINISHED } from './files.ts'

const FILE = 'paysim.index'

/** Longer lines are not written: a sandbox with much seed data is opened by every start. */
const LINE_MAX_CHARS = 64 * 1024

interface Line<Known> {
  /** Paysim's version: lines of another version are ignored, as their facts may be others. */
  version: string
  name: string
  file: Stamp
  known: Known
}

/** Identifies the content of a database's file: differs after any write, and for another file. */
interface Stamp {
  inode: number
  bytes: number
  changedAt: number
}

export class KeptIndex<Known> {
  readonly #folder: string
  readonly #file: string
  readonly #version: string
  readonly #lines = new Map<string, string>()
  /** How many lines the file has; for a name with several, the last counts. */
  #written = 0

  constructor(folder: string, version: string) {
    this.#folder = folder
    this.#file = join(folder, FILE)
    this.#version = version
  }

  /** The facts about each sandbox whose file is unchanged. */
  read(): Map<string, Known> {
    const texts = this.#texts()
    const latest = new Map<string, { text: string; line: Line<Known> }>()
    for (const text of texts) {
      const line = this.#parsed(text)
      if (line) latest.set(line.name, { text, line })
    }
    const found = new Map<string, Known>()
    // The folder is listed once: a look for each database's log would double the time.
    const files = new Set(latest.size > 0 ? readdirSync(this.#folder) : [])
    for (const [name, { text, line }] of latest) {
      if (files.has(`${name}${DATABASE}-wal`)) continue
      if (!isSame(stampOf(databaseFile(this.#folder, name)), line.file)) continue
      this.#lines.set(name, text)
      found.set(name, line.known)
    }
    this.#written = texts.length
    this.#rewriteWhereLong()
    return found
  }

  /** Adds a line for a database that has just been closed. */
  put(name: string, known: Known): void {
    const database = databaseFile(this.#folder, name)
    this.#lines.delete(name)
    // With a log beside it, the file alone is not the whole database.
    const file = existsSync(`${database}-wal`) ? undefined : stampOf(database)
    if (!file) return
    const text = JSON.stringify({ version: this.#version, name, file, known } satisfies Line<Known>)
    if (text.length > LINE_MAX_CHARS) return
    this.#lines.set(name, text)
    this.#written += 1
    ifPossible(() => appendFileSync(this.#file, `${text}\n`))
    this.#rewriteWhereLong()
  }

  #texts(): string[] {
    try {
      return readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
    } catch {
      return []
    }
  }

  #parsed(text: string): Line<Known> | undefined {
    const line = jsonIn(text) as Line<Known> | null | undefined
    return line?.version === this.#version ? line : undefined
  }

  #rewriteWhereLong(): void {
    if (this.#written <= 1000 + 2 * this.#lines.size) return
    const unfinished = `${this.#file}${UNFINISHED}`
    this.#written = this.#lines.size
    ifPossible(
      () => {
        writeFileSync(unfinished, [...this.#lines.values(), ''].join('\n'))
        renameSync(unfinished, this.#file)
      },
      () => rmSync(unfinished, { force: true }),
    )
  }
}

/** Undefined if the database does not exist. */
function stampOf(file: string): Stamp | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && { inode: found.ino, bytes: found.size, changedAt: found.ctimeMs }
}

const isSame = (one: Stamp | undefined, other: Stamp) =>
  one?.inode === other.inode && one.bytes === other.bytes && one.changedAt === other.changedAt

/** Errors are ignored: without the line, the next start opens the database. */
function ifPossible(write: () => void, otherwise = () => {}): void {
  try {
    write()
  } catch {
    otherwise()
  }
}
