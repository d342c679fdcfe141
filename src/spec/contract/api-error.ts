/** A refusal. This file imports nothing, so that `paysim/control` stays small. */

/**
 * The `error` of a body by status (D8). 502 and 504 are for a scenario's `respond`, for a stub that forwards a request, and for a
 * proxy's response that `paysim/control` reports. 503 is a full disk (D58).
 */
export const STATUS_NAMES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  424: 'Failed Dependency',
  429: 'Too Many Requests',
  500: 'Internal Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const

export type ErrorStatus = keyof typeof STATUS_NAMES

/** The `error` of a status; `Error 418` for a status without a name. */
export const statusName = (status: number): string => STATUS_NAMES[status as ErrorStatus] ?? `Error ${status}`

/** Which text of §7 the message is, so that a profile can reword it. */
export interface RefusalText {
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  /** The fields or parameters that the values name. */
  readonly fields?: readonly string[]
}

export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly headers: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, unknown>>
  /** Undefined for refusals that platforms never get, such as a tester's. */
  readonly text: RefusalText | undefined

  constructor(
    status: ErrorStatus,
    message: string,
    {
      headers = {},
      details = {},
      text,
    }: {
      headers?: Record<string, string>
      details?: Record<string, unknown>
      text?: RefusalText
    } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.headers = headers
    this.details = details
    this.text = text
  }

  /** §2: `error`, `message` and, for some refusals, more fields such as `existingResourceId`. */
  get body(): Record<string, unknown> {
    return { error: statusName(this.status), message: this.message, ...this.details }
  }

  /** The body's bytes, the same for refusals under `/v1` and `/_sim` and for bugs. */
  get json(): string {
    return JSON.stringify(this.body)
  }
}
