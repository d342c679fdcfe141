/** The line in which a failed command says why: the first failed assertion, or else the last error, or else what it printed last. */
import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** How test runners begin the line of a failed assertion: of several the first counts, as the others often follow from it. */
const ASSERTIONS: readonly RegExp[] = [
  // pytest
  /^E {2,}\S/,
  // Node, Vitest, Chai, Python and JUnit
  /\bAssert\w*(Error|Exception)\b[^:]*: /,
  // TAP, as Node's own runner prints it
  /^\s+error: ['"|]/,
  // Go, Jest, and Node's runner on a terminal
  /^\s*(--- FAIL: |● |✖ )/,
]
/** Clients log what they try again, so of several errors the last counts. A cause is indented. */
const ERROR = /^(Uncaught )?[\w.$]*(Error|Exception)\b[^:]*: \S|^panic: /
const STACK = /^\s*(at |File ")/
/** The reason is in the next line, as after `Expected values to be strictly equal:` or the name of a test. */
const ANNOUNCES = /:$|\|-$|^\s*(--- FAIL: |● |✖ )/
const LONGEST = 200

export function tellingLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const places = [
    ...ASSERTIONS.map((one) => lines.findIndex((line) => one.test(line))),
    lines.findLastIndex((line) => ERROR.test(line)),
    lines.findLastIndex((line) => !STACK.test(line)),
  ]
  const place = places.find((index) => index !== -1)
  if (place === undefined) return undefined
  const rest = lines.slice(place)
  const last = rest.findIndex((line, index) => !ANNOUNCES.test(line) || index === rest.length - 1)
  const text = rest
    .slice(0, last + 1)
    .map((line) => line.trim().replace(/^(E +|error: (\|-)?)/, ''))
    .join(' ')
    .trim()
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** What a command printed, without colours: without their escape characters, only the numbers would be left. */
export const outputIn = (file: string | undefined): string =>
  file === undefined || !existsSync(file)
    ? ''
    : stripVTControlCharacters(readFileSync(file, 'utf8')).trimEnd()
