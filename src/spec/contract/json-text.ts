/** JSON as text, for code that must keep the digits of numbers: JSON.parse reads 1000.00 as 1000. */
import { parsedJson, valueAt } from './parsed-json.ts'

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g

/** Its strings, numbers, words and signs, without the white space. The text must be valid JSON. */
export const jsonTokens = (json: string): readonly string[] => json.match(TOKEN) ?? []

const isNumberToken = (token: string): boolean => /^[-\d]/.test(token)

/** A field's name as a part of a path: `.status` or `["content-type"]`. */
export const member = (name: string) =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

/**
 * Marks a number that was turned into a string, so that it is found again. A private-use character; a string that starts with it
 * gets a second one.
 */
const MARK = '\uE000'
const MARKED = new RegExp(`"${MARK}(?!${MARK})([^"]*)"`, 'g')
const BEGINS_WITH_MARK = new RegExp(`^"(?=${MARK}|\\\\u[eE]000)`)

/** Without the other tokens, which are the majority. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

const withMarkedNumbers = (json: string) =>
  json.replaceAll(STRING_OR_NUMBER, (token) =>
    isNumberToken(token) ? `"${MARK}${token}"` : token.replace(BEGINS_WITH_MARK, `"${MARK}`),
  )

/** How the number at a path such as `$.items[0].amount` was written; undefined for other values. */
export interface NumberTexts {
  get(path: string): string | undefined
}

const SEGMENT = /\.([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g

/** The keys in a path such as `$.data[0]["odd name"]`. */
export const keysOfPath = (path: string): PropertyKey[] =>
  [...path.matchAll(SEGMENT)].map(([, name, index, text]) =>
    text === undefined ? (name ?? Number(index)) : JSON.parse(text),
  )

/**
 * Numbers as written, because a client that treats amounts as text sees the difference. The text must be valid JSON. It is parsed
 * at the first lookup, and no table by path is made: in a body of 1 MB the paths may be longer than the body times its numbers.
 */
export function numberTexts(json: string): NumberTexts {
  let marked: unknown
  return {
    get(path) {
      marked ??= JSON.parse(withMarkedNumbers(json))
      return writtenNumber(valueAt(marked, keysOfPath(path)))
    },
  }
}

/** The parsed value with each number as {@link writtenNumber} reads it; undefined if it is not JSON or too deeply nested. */
export const parsedAsWritten = (json: string): unknown => parsedJson(withMarkedNumbers(json))

/** The digits of a number in a value that `parsedAsWritten` returned; undefined for other values. */
export const writtenNumber = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(MARK) && !value.startsWith(MARK + MARK)
    ? value.slice(MARK.length)
    : undefined

/**
 * Applies `change` to the parsed value and serializes it, keeping the original text of every number. A text that is not JSON, or
 * too deeply nested, is returned unchanged.
 */
export function changedJson(json: string, change: (value: unknown) => unknown): string {
  const value = parsedAsWritten(json)
  if (value === undefined) return json
  return JSON.stringify(change(value)).replaceAll(MARKED, '$1').replaceAll(`"${MARK}${MARK}`, `"${MARK}`)
}
