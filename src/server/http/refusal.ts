import { type ApiError, internalError, NotStored } from '../../spec/contract/errors.ts'

/** What is answered where no gate can answer: the sentence of a 503, as where no file can be opened, or a 500 that is logged. */
export function refusalOf(cause: unknown, logBug: (cause: unknown) => void): ApiError {
  if (cause instanceof NotStored) return cause
  logBug(cause)
  return internalError()
}
