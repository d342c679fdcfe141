/** What a command printed, and the line in which it named its error. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const ERROR = /^(\w+ +)?[\w.$]*(Error|Exception)\b.*:/
const LONGEST = 200

/** Clients log what they retry, so of several errors the last counts. The message of an assertion begins in the next line. */
export function errorLine(output: string): string | undefined {
  const lines = output.split('\n').flatMap((line) => line.trim() || [])
  const last = lines.findLastIndex((line) => ERROR.test(line))
  const place = last === -1 ? lines.findIndex((line) => line.startsWith('error: ')) : last
  if (place === -1) return undefined
  const end = lines.findIndex((line, index) => index >= place && !/(:|\|-)$/.test(line))
  const text = lines
    .slice(place, Math.max(place, end) + 1)
    .join(' ')
    .replace(/^error: (\|- )?/, '')
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

const END_BYTES = 256 * 1024

/** The end of what a command printed, without colors. */
export function outputIn(file: string | undefined): string {
  if (file === undefined || !existsSync(file)) return ''
  const { size } = statSync(file)
  const end = Buffer.alloc(Math.min(size, END_BYTES))
  const opened = openSync(file, 'r')
  readSync(opened, end, 0, end.length, size - end.length)
  closeSync(opened)
  return stripVTControlCharacters(end.toString()).trimEnd()
}
