/**
 * Recognizes errors of the machine: a disk that cannot be written to, no descriptors or no memory left.
 * Paysim is not at fault, and the same work may succeed later.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { diskFull, NotStored } from '../../spec/contract/errors.ts'
import { Database } from './sqlite.ts'

const NO_ROOM = /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/
/** SQLite's codes for a quota or a file size limit (EDQUOT, EFBIG), and for a failing disk (EIO). */
const FAILED_WRITE = 'SQLITE_IOERR_WRITE'
const FAILURE = /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN)|(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$)/
/** VACUUM INTO has no specific code for a file that it could not open. */
const NOT_OPENED = /^unable to open database/
const NO_DESCRIPTORS = /^(EMFILE|ENFILE)$/
const NO_MEMORY = /^(SQLITE_(IOERR_)?NOMEM|ENOMEM)$/

/** For an error of the machine, the 503 refusal to send; any other error is returned unchanged. */
export function asStorageFailure(cause: unknown): unknown {
  if (!(cause instanceof Database.SqliteError) && !(cause instanceof Error && 'syscall' in cause))
    return cause
  const { code = '' } = cause as { code?: string }
  if (NO_DESCRIPTORS.test(code)) {
    return new NotStored(`No more files can be opened (${code}; ulimit -n says how many may be)`, cause)
  }
  if (NO_MEMORY.test(code)) return new NotStored(`Out of memory (${code})`, cause)
  if (isDamage(cause)) return new NotStored(`The database cannot be read (${code})`, cause)
  if (!FAILURE.test(code) && !NOT_OPENED.test(cause.message)) return cause
  if (NO_ROOM.test(code)) return diskFull(cause)
  return new NotStored(`The disk ${code === FAILED_WRITE ? 'is full, or it ' : ''}fails (${code})`, cause)
}

/** Whether SQLite reports damage: the file is damaged, or its disk cannot be read (EIO), which SQLite reports as damage. */
export function isDamage(cause: unknown): boolean {
  if (cause instanceof NotStored) return isDamage(cause.cause)
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_CORRUPT')
}

/** Runs work on files, and turns errors of the machine into refusals. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw asStorageFailure(cause)
  }
}

/**
 * `getaddrinfo` reports an unknown name even if the process has no descriptor left for the lookup; opening a file shows which it
 * is.
 */
export function whyNotLookedUp(cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException)?.syscall !== 'getaddrinfo') return cause
  try {
    closeSync(openSync(devNull, 'r'))
    return cause
  } catch (why) {
    return why
  }
}
