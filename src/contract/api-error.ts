/** A refusal. It imports nothing, so that the client of the tester's API loads nothing but this for its errors. */

/**
 * D8: `error` is the word of §7's table, letter by letter; hence `Internal Error`. 502 and 504 never come
 * from us, but from a proxy between a platform and us; 503 comes from a full disk (D58).
 */
const STATUS_NAMES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const

export type ErrorStatus = keyof typeof STATUS_NAMES

/** The name an error body carries for a status; a status that has none here goes by its number. */
export const statusName = (status: number): string => STATUS_NAMES[status as ErrorStatus] ?? `Error ${status}`

export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly headers: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: ErrorStatus,
    message: string,
    {
      headers = {},
      details = {},
    }: { headers?: Record<string, string>; details?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.headers = headers
    this.details = details
  }

  /** §2: `error`, `message` and, only where it applies, what the caller needs to go on. */
  get body(): Record<string, unknown> {
    return { error: statusName(this.status), message: this.message, ...this.details }
  }

  /** The body's bytes, the same wherever a refusal is answered: under `/v1`, under `/_sim` and for a bug. */
  get json(): string {
    return JSON.stringify(this.body)
  }
}
