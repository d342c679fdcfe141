import { asStorageFailure } from '../../service/store/storage-failure.ts'
import { type ApiError, internalError, NotStored } from '../../spec/contract/errors.ts'

/** What is answered where no gate can answer: the sentence of a 503, as where no file can be opened, or a 500 that is logged. */
export function refusalOf(cause: unknown, logBug: (cause: unknown) => void): ApiError {
  const failure = asStorageFailure(cause)
  if (failure instanceof NotStored) return failure
  logBug(cause)
  return internalError()
}
