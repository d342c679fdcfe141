import { asStorageFailure } from '../../service/store/storage-failure.ts'
import { type ApiError, internalError, NotStored } from '../../spec/contract/errors.ts'

/**
 * The answer where no sandbox can answer: 503 with its sentence, such as when no file can be opened, or 500,
 * which is logged.
 */
export function refusalOf(cause: unknown, logBug: (cause: unknown) => void): ApiError {
  const failure = asStorageFailure(cause)
  if (failure instanceof NotStored) return failure
  logBug(cause)
  return internalError()
}
