/** JSON from outside, for code that reads all of it. */
import { JSON_MAX_DEPTH } from './limits.ts'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** D17: deeper values could exhaust the stack of the recursive functions that read them. */
export function isTooDeep(value: unknown, most: number = JSON_MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  // For half a million elements `in` takes ten times as long, because it makes a text of each index.
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, most - 1))
  for (const name in value) {
    if (isTooDeep((value as Record<string, unknown>)[name], most - 1)) return true
  }
  return false
}

/** The parsed value, however deeply nested; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The parsed value; undefined if it is not JSON, or nested more than 64 levels deep. */
export function parsedJson(text: string): unknown {
  const value = jsonIn(text)
  return isTooDeep(value) ? undefined : value
}

/** The value under these keys, such as `['items', 0, 'name']`; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined
    here = (here as Record<PropertyKey, unknown>)[key]
  }
  return here
}
