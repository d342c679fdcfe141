/** JSON as text, for what has to keep the digits of its numbers: JSON.parse reads 1000.00 as 1000. */
import { jsonIn } from './parsed-json.ts'

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g

/** Its strings, numbers, words and signs, without the white space. The text must be valid JSON. */
export const jsonTokens = (json: string): readonly string[] => json.match(TOKEN) ?? []

export const isNumberToken = (token: string): boolean => /^[-\d]/.test(token)

/** A field's name as a part of a path: `.status` or `["content-type"]`. */
export const member = (name: string) =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

/**
 * The numbers as they are written, by path: a client that takes amounts for text sees the difference. The text must be valid
 * JSON.
 */
export function numberTexts(json: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  /** The open objects and lists, outermost first, each with its path and the part of it that comes next. */
  const open: { path: string; next: string | number; expectsName: boolean }[] = []
  const place = () => {
    const inner = open.at(-1)
    if (inner === undefined) return '$'
    return inner.path + (typeof inner.next === 'number' ? `[${inner.next}]` : member(inner.next))
  }
  for (const token of jsonTokens(json)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ path: place(), next: '', expectsName: true })
    else if (token === '[') open.push({ path: place(), next: 0, expectsName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') {
      if (typeof inner?.next === 'number') inner.next += 1
      else inner!.expectsName = true
    } else if (token === ':') continue
    else if (inner?.expectsName) {
      inner.next = JSON.parse(token)
      inner.expectsName = false
    } else if (isNumberToken(token)) found.set(place(), token)
  }
  return found
}

/**
 * Stands before a number that was made a string, to find it again. A private-use character, which no JSON of
 * paysim has.
 */
const MARK = '\uE000'
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

/**
 * Applies `change` to the parsed value and writes it again, with every number as it was written. A text that
 * is not JSON is returned as it is.
 */
export function changedJson(json: string, change: (value: unknown) => unknown): string {
  const marked = json.replaceAll(TOKEN, (token) => (isNumberToken(token) ? `"${MARK}${token}"` : token))
  const value = jsonIn(marked)
  return value === undefined ? json : JSON.stringify(change(value)).replaceAll(MARKED, '$1')
}
