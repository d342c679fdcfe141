/** The line in which a failed command printed why; undefined if it printed no such line. */
import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** Of several failed assertions the first counts, as the others often follow from it. */
const ASSERTION = /\bAssert\w*\b.*: |^E +\S/
/** Clients log what they retry, so of several errors the last counts. A cause is indented. */
const ERROR = /^(Uncaught )?[\w.$]*(Error|Exception)\b[^:]*: \S|^panic: |^\s+error: \S/
/** The name of a failed test. */
const FAILED = /^\s*(\W* ?FAIL(ED)?\b|[●✖✗×] )/
/** The reason is in the next line, as after `Expected values to be strictly equal:`. */
const ANNOUNCES = /:$|\|-$/
const LONGEST = 200

export function tellingLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const places = [
    lines.findIndex((line) => ASSERTION.test(line)),
    lines.findLastIndex((line) => ERROR.test(line)),
    lines.findIndex((line) => FAILED.test(line)),
  ]
  const place = places.find((index) => index !== -1)
  if (place === undefined) return undefined
  const rest = lines.slice(place)
  const last = rest.findIndex((line) => !ANNOUNCES.test(line) && !FAILED.test(line))
  const text = rest
    .slice(0, last === -1 ? 1 : last + 1)
    .map((line) => line.trim().replace(/^(E +|error: (\|-)?)/, ''))
    .join(' ')
    .trim()
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** What a command printed, without colors: without their escape characters, only the numbers would be left. */
export const outputIn = (file: string | undefined): string =>
  file === undefined || !existsSync(file)
    ? ''
    : stripVTControlCharacters(readFileSync(file, 'utf8')).trimEnd()
