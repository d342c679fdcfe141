/** Responses to requests that reach no sandbox. */
import { asStorageFailure } from '../../service/store/storage-failure.ts'
import { type ApiError, internalError, NotStored } from '../../spec/contract/errors.ts'

/** 503 with the reason, such as when no file can be opened; otherwise 500, and the cause is logged as a bug. */
export function refusalOf(cause: unknown, logBug: (cause: unknown) => void): ApiError {
  const failure = asStorageFailure(cause)
  if (failure instanceof NotStored) return failure
  logBug(cause)
  return internalError()
}

export const refusalResponse = ({ status, json }: ApiError) =>
  new Response(json, { status, headers: { 'content-type': 'application/json' } })

export const badRequest = (reason: string) => new Response(`400 Bad Request: ${reason}\n`, { status: 400 })
