/** What a disk answers when it cannot be written to. It is no fault of the work that met it: the same work can succeed later. */
import { diskFull, NotStored } from '../contract/errors.ts'
import { Database } from './sqlite.ts'

/** EFBIG is a limit on the size of files, which SQLite reports as a failed write. */
const NO_ROOM = /^(SQLITE_FULL|SQLITE_IOERR_WRITE|ENOSPC|EDQUOT|EFBIG)$/
const FAILURE =
  /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM)|(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EMFILE|ENFILE)$)/

/** The same error, or the refusal that stands for it when it is the disk's, which every side can answer with. */
export function asStorageFailure(cause: unknown): unknown {
  if (!(cause instanceof Database.SqliteError) && !(cause instanceof Error && 'syscall' in cause))
    return cause
  const { code = '' } = cause as { code?: string }
  if (!FAILURE.test(code)) return cause
  return NO_ROOM.test(code) ? diskFull(cause) : new NotStored(`The disk fails (${code})`, cause)
}

/** Does work on files, and throws what the disk answers as a refusal. */
export function onDisk<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw asStorageFailure(cause)
  }
}
