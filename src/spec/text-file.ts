/** Reads the files that users name, such as scenarios, fixtures, settings and reports. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { UsageError } from './options/read.ts'

const MAX_MB = 16

export class UnreadableFile extends UsageError {
  /** Such as `no such file`. */
  readonly reason: string
  readonly isMissing: boolean

  constructor(path: string, reason: string, isMissing = false) {
    super(`Cannot read ${path}: ${reason}.`)
    this.name = 'UnreadableFile'
    this.reason = reason
    this.isMissing = isMissing
  }
}

const MISSING = ['ENOENT', 'ENOTDIR']
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  ENXIO: 'not a regular file',
}

/**
 * Reads a regular file of at most 16 MB, without its byte-order mark; throws {@link UnreadableFile}. Reading a FIFO or a device
 * would block the process or fill its memory, and a blocked process cannot act on SIGTERM.
 */
export function readTextFile(path: string): string {
  let file: number | undefined
  try {
    // O_NONBLOCK, because opening a FIFO waits for its writer. Windows does not have the flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new UnreadableFile(path, 'it is a folder')
    if (!stats.isFile()) throw new UnreadableFile(path, REASONS.ENXIO!)
    if (stats.size > MAX_MB * 1024 ** 2) throw new UnreadableFile(path, `larger than ${MAX_MB} MB`)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause
    const { code = '', message } = cause as NodeJS.ErrnoException
    throw new UnreadableFile(path, REASONS[code] ?? message, MISSING.includes(code))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
