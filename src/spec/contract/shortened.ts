/** The longest part of a value quoted in an error message. */
const MAX_CHARS = 100

export const shortened = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…`

/** A value as JSON. */
export const quoted = (value: unknown): string =>
  shortened(JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_CHARS + 1) : value) ?? 'undefined')
