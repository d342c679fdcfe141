/**
 * What is known of kept sandboxes without opening their databases: a line of JSON for each, added when its database is closed.
 * A line is believed as long as the file is the same and was not changed since. A start that finds no such line opens the
 * database, so that this file may be old, cut off or gone.
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
import { DATABASE, databaseFile, UNFINISHED } from './files.ts'

const FILE = 'paysim.index'

/** A sandbox with much seed data has no line, and is opened by every start. */
const LINE_MAX_CHARS = 64 * 1024

interface Line<Known> {
  /** Another version may know other things. */
  version: string
  name: string
  file: Stamp
  known: Known
}

/** Changes whenever the file is written to, or is another one. */
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
  /** How many lines the file has, of which the last of a name counts. */
  #written = 0

  constructor(folder: string, version: string) {
    this.#folder = folder
    this.#file = join(folder, FILE)
    this.#version = version
  }

  /** What the folder's index says of each sandbox that is as it was then. */
  read(): Map<string, Known> {
    const texts = this.#texts()
    const latest = new Map<string, { text: string; line: Line<Known> }>()
    for (const text of texts) {
      const line = this.#parsed(text)
      if (line) latest.set(line.name, { text, line })
    }
    const found = new Map<string, Known>()
    // Listed once, as asking for each log takes as long as for its database.
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

  /** The database has just been closed. */
  put(name: string, known: Known): void {
    const database = databaseFile(this.#folder, name)
    this.#lines.delete(name)
    // It is not whole without its log.
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
    try {
      const line: Line<Known> = JSON.parse(text)
      return line.version === this.#version ? line : undefined
    } catch {
      return undefined
    }
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

/** Undefined where the database is not there. */
function stampOf(file: string): Stamp | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && { inode: found.ino, bytes: found.size, changedAt: found.ctimeMs }
}

const isSame = (one: Stamp | undefined, other: Stamp) =>
  one?.inode === other.inode && one.bytes === other.bytes && one.changedAt === other.changedAt

/** On a full disk there is no new line, and the next start opens the database. */
function ifPossible(write: () => void, otherwise = () => {}): void {
  try {
    write()
  } catch {
    otherwise()
  }
}
