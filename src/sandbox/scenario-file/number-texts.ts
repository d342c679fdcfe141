import { member } from './matcher.ts'

/** One string, number, word or sign of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},]/g

/**
 * The numbers of a JSON text as they are written, by path: JSON.parse reads 1000.00 as 1000, but a client that takes
 * amounts for text sees the difference. The text must be valid JSON.
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
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ path: place(), next: '', expectsName: true })
    else if (token === '[') open.push({ path: place(), next: 0, expectsName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') {
      if (typeof inner?.next === 'number') inner.next += 1
      else inner!.expectsName = true
    } else if (inner?.expectsName) {
      inner.next = JSON.parse(token)
      inner.expectsName = false
    } else if (/^[-\d]/.test(token)) found.set(place(), token)
  }
  return found
}
