/**
 * The regular expressions of matchers, run by RE2: its time grows with the length of the text, while
 * JavaScript's own can take years for `^(a+)+$` and block every sandbox. RE2 has no look-around and no back
 * references.
 */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'

const { regexChars, regexSteps } = TESTER_LIMITS

export const REGEX_RULE = `must be a regular expression such as ^chk_, without look-around and back references, of at most ${regexChars.max} characters and ${regexSteps.max} steps`

/**
 * Loaded at the first use: most scenarios have no regular expression, and loading takes as long as starting a
 * sandbox.
 */
let engine: typeof RE2JS | undefined

function load(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS
  return engine
}

/** Compiled patterns, cached because every request may be compared, with few different patterns. */
const compiled = new Map<string, RE2JS | undefined>()
const COMPILED_MAX = 100

/** Undefined for an invalid pattern. */
function compile(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern)
  const regex = pattern.length > regexChars.max ? undefined : compileNew(pattern)
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value!)
  compiled.set(pattern, regex)
  return regex
}

function compileNew(pattern: string): RE2JS | undefined {
  const { compile, translateRegExp } = load()
  try {
    const regex = compile(translateRegExp(pattern))
    return regex.programSize() > regexSteps.max ? undefined : regex
  } catch {
    return undefined
  }
}

export const isSearchable = (pattern: string): boolean => compile(pattern) !== undefined

/** Whether the pattern is found anywhere in the text; false for an invalid pattern. */
export const searches = (pattern: string, text: string): boolean => compile(pattern)?.test(text) ?? false

/** The first match in the text: its first group, or the whole match. */
export function findIn(pattern: string, text: string): string | undefined {
  const matcher = compile(pattern)?.matcher(text)
  if (!matcher?.find()) return undefined
  return matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? undefined
}
