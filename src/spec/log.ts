/** The log of the simulator, in lines for people or as JSON. */
import { formatInstant } from './contract/time.ts'
import type { LogFormat } from './options/simulator.ts'
import { wallClock } from './world/clock.ts'

type Level = 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

export function createLog(format: LogFormat): Log {
  if (format === 'silent') return () => {}
  return (level, message, fields = {}) => {
    const time = formatInstant(wallClock())
    const line =
      format === 'json'
        ? JSON.stringify({ time, level, message, ...withStack(fields) })
        : `${time.slice(11, 23)} ${level === 'info' ? '' : `${level}: `}${message}${pretty(fields)}`
    toStderr(`${line}\n`, level)
  }
}

/** Lines written together at the end of this turn of the event loop: one write takes as long as formatting four lines. */
let lines = ''

/** Lines are collected, because each request logs one; a warning or an error is written immediately, after the collected lines. */
function toStderr(line: string, level: Level): void {
  if (lines === '') {
    setImmediate(writeLines)
    process.once('exit', writeLines)
  }
  lines += line
  if (level !== 'info') writeLines()
}

/** While the reader is behind, lines are dropped, because keeping them would fill the memory. */
function writeLines(): void {
  process.removeListener('exit', writeLines)
  const text = lines
  lines = ''
  if (text !== '' && !process.stderr.writableNeedDrain) process.stderr.write(text)
}

/** Shows an error by its stack. It has no enumerable fields, so JSON.stringify alone would write {}. */
const withStack = (fields: Record<string, unknown>) =>
  fields.cause instanceof Error ? { ...fields, cause: fields.cause.stack } : fields

function pretty(fields: Record<string, unknown>): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    text += ` ${name}=${value instanceof Error ? value.stack : onOneLine(String(value))}`
  }
  return text
}

/** Quotes a value with line breaks or control characters, which could look like another line of the log. */
const onOneLine = (text: string) => (/^[ -~]*$/.test(text) ? text : JSON.stringify(text))
