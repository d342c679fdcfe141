/**
 * What the machine answers when a disk cannot be written to, or when there are no descriptors or no memory left. It is no fault of
 * the work that met it: the same work can succeed later.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { diskFull, NotStored } from '../../spec/contract/errors.ts'
import { Database } from './sqlite.ts'

const NO_ROOM = /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/
/** SQLite says so for a quota and a limit on the size of files (EDQUOT, EFBIG), and for a disk that fails (EIO). */
const FAILED_WRITE = 'SQLITE_IOERR_WRITE'
const FAILURE = /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN)|(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$)/
/** VACUUM INTO has no code of its own for a file that it could not open. */
const NOT_OPENED = /^unable to open database/
const NO_DESCRIPTORS = /^(EMFILE|ENFILE)$/
const NO_MEMORY = /^(SQLITE_(IOERR_)?NOMEM|ENOMEM)$/

/** The same error, or the refusal that stands for it when it is the disk's, which every side can answer with. */
export function asStorageFailure(cause: unknown): unknown {
  if (!(cause instanceof Database.SqliteError) && !(cause instanceof Error && 'syscall' in cause))
    return cause
  const { code = '' } = cause as { code?: string }
  if (NO_DESCRIPTORS.test(code)) {
    return new NotStored(`No more files can be opened (${code}; ulimit -n says how many may be)`, cause)
  }
  if (NO_MEMORY.test(code)) return new NotStored(`There is no memory left (${code})`, cause)
  if (isDamage(cause)) return new NotStored(`The database cannot be read (${code})`, cause)
  if (!FAILURE.test(code) && !NOT_OPENED.test(cause.message)) return cause
  if (NO_ROOM.test(code)) return diskFull(cause)
  return new NotStored(`The disk ${code === FAILED_WRITE ? 'is full, or it ' : ''}fails (${code})`, cause)
}

/** What SQLite says of a file that is damaged, and of one whose disk cannot be read: it takes EIO for damage. */
export function isDamage(cause: unknown): boolean {
  if (cause instanceof NotStored) return isDamage(cause.cause)
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_CORRUPT')
}

/** Does work on files, and throws what the disk answers as a refusal. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw asStorageFailure(cause)
  }
}

/** SQLite does not say why a file cannot be opened, so it is opened once more, twice like its log: that throws the reason. */
export function whyNotOpened(cause: unknown, file: string): unknown {
  if (!(cause instanceof Database.SqliteError) || !cause.code.startsWith('SQLITE_CANTOPEN')) return cause
  const opened: number[] = []
  try {
    opened.push(openSync(file, 'r'))
    opened.push(openSync(file, 'r'))
    return cause
  } catch (why) {
    return isOutOfDescriptors(why) ? why : cause
  } finally {
    opened.forEach(closeSync)
  }
}

/** The system says of a name that it is not known where it could not open the file to look it up. */
export function whyNotLookedUp(cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException)?.syscall !== 'getaddrinfo') return cause
  try {
    closeSync(openSync(devNull, 'r'))
    return cause
  } catch (why) {
    return why
  }
}

export function isOutOfDescriptors(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return NO_DESCRIPTORS.test((cause as { code?: string }).code ?? '') || isOutOfDescriptors(cause.cause)
}
